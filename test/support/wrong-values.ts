/** What Joi tells of a schema, as far as a wrong value can be made of it. */
type Described = {
  type?: string;
  flags?: { presence?: string; only?: boolean };
  rules?: { name: string; args?: { limit?: number } }[];
  allow?: unknown[];
  keys?: Record<string, Described>;
  items?: Described[];
};
export type Wrong = { field: string; what: string; body: unknown };

const byType: Record<string, [string, unknown][]> = {
  string: [
    ['a number', 7],
    ['a boolean', true],
    ['a list', ['x']],
    ['an object', { a: 'x' }],
    ['null', null],
    ['nothing', ''],
    ['NUL', 'a\u0000b'],
    ['half a character', 'a\ud83d'],
  ],
  object: [
    ['a text', 'x'],
    ['a number', 7],
    ['a boolean', true],
    ['a list', []],
    ['null', null],
  ],
  array: [
    ['a text', 'x'],
    ['a number', 7],
    ['null', null],
  ],
  number: [
    ['a text', 'many'],
    ['a list', []],
    ['null', null],
  ],
  boolean: [
    ['a text', 'perhaps'],
    ['a number', 7],
    ['null', null],
  ],
};

/** Wrong values of one field, by its own description. */
function wrongOf({ type = '', rules = [], allow = [], flags, items }: Described): [string, unknown][] {
  const wrong = (byType[type] ?? []).filter(([, value]) => !allow.includes(value));
  const limitOf = (name: string) => rules.find((rule) => rule.name === name)?.args?.limit;
  const [max, min] = [limitOf('max'), limitOf('min')];
  if (type === 'string' && max) wrong.push(['too long', 'x'.repeat(max + 1)]);
  if (type === 'string' && flags?.only) wrong.push(['no such word', 'nonsense']);
  if (type === 'number' && max !== undefined) wrong.push(['too much', max + 1]);
  if (type === 'number' && min !== undefined) wrong.push(['too little', min - 1]);
  if (type === 'array' && min) wrong.push(['too few', Array(min - 1).fill('x')]);
  if (type === 'array' && max && items) wrong.push(['too many', Array(max + 1).fill('x')]);
  return wrong;
}

/** The good body with one fault each: every field's wrong types, lengths and words, what is missing, and what nobody knows. */
export function* wrongBodies(described: Described, good: Record<string, unknown>, within = ''): Generator<Wrong> {
  const at = (key: string) => (within ? `${within}.${key}` : key);
  yield { field: at('nonsense'), what: 'is unknown', body: { ...good, nonsense: 1 } };
  for (const [key, field] of Object.entries(described.keys ?? {})) {
    for (const [what, value] of wrongOf(field)) yield { field: at(key), what, body: { ...good, [key]: value } };
    const { [key]: value, ...without } = good;
    if (field.flags?.presence === 'required') yield { field: at(key), what: 'is missing', body: without };
    const [item] = field.items ?? [];
    if (item?.keys && Array.isArray(value))
      for (const wrong of wrongBodies(item, value[0] as Record<string, unknown>, `${at(key)}[0]`))
        yield { ...wrong, body: { ...good, [key]: [wrong.body] } };
    else if (field.keys && value) {
      for (const wrong of wrongBodies(field, value as Record<string, unknown>, at(key)))
        yield { ...wrong, body: { ...good, [key]: wrong.body } };
    }
  }
}
