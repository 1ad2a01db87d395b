/** A person can write NUL, which jsonb and text refuse: it becomes U+FFFD. */
export const withoutNul = (text: string) => text.replaceAll('\u0000', '\ufffd');
export const jsonWithoutNul = (value: unknown) => JSON.stringify(value).replace(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1\\ufffd');
