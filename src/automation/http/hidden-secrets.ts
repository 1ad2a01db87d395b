/** What a secret looks like in an URL, and within a text of JSON. */
const spellings = (value: string) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];

/** Each value that a receiver sent back, as `{{ secrets.NAME }}`; names of fields too. The longest first: one may be a part of another. */
export function withoutSecrets(value: unknown, secrets: ReadonlyMap<string, string>): unknown {
  const found = [...secrets]
    .filter(([, text]) => text !== '')
    .flatMap(([name, text]) => [...new Set(spellings(text))].map((spelling) => [name, spelling] as const))
    .sort(([, one], [, other]) => other.length - one.length);
  if (found.length === 0) return value;
  const hide = (text: string) =>
    found.reduce((shown, [name, spelling]) => shown.replaceAll(spelling, () => `{{ secrets.${name} }}`), text);
  return mapped(value, hide);
}

/** Its depth is bounded: `faultIn` has seen it. */
function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapped(one, change));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [change(name), mapped(one, change)]));
}
