/**
 * A pure function whose last results are kept, at most `maxKept`, the oldest given up first. For what is dear to derive from a text:
 * the text is the key, so what is kept is never wrong, only unused.
 */
export function kept<Value, Rest extends unknown[]>(read: (text: string, ...rest: Rest) => Value, maxKept = 1_000) {
  const values = new Map<string, Value>();
  return (text: string, ...rest: Rest): Value => {
    const known = values.get(text);
    if (known !== undefined) return known;
    const value = read(text, ...rest);
    if (values.size >= maxKept) values.delete(values.keys().next().value!);
    values.set(text, value);
    return value;
  };
}
