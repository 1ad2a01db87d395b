/** jsonb and text refuse NUL, which a person can still write. It becomes the sign for an unknown character. */
export const withoutNul = (text: string) => text.replaceAll('\u0000', '\ufffd');
export const jsonWithoutNul = (value: unknown) => JSON.stringify(value).replace(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1\\ufffd');
