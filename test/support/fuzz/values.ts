import { fc } from '../fast-check.ts';

/** What Joi tells of a schema, as far as values can be made by it. */
export type Described = {
  type?: string;
  flags?: { presence?: string; only?: boolean; unknown?: boolean };
  rules?: { name: string; args?: { limit?: number } }[];
  allow?: unknown[];
  keys?: Record<string, Described>;
  items?: Described[];
};

/** JSON text that JSON.stringify does not write. */
const numbers = ['1e400', '-1e400', '-0', '9007199254740993', `1${'0'.repeat(400)}`, '1e-400', '0.1e1', '1E5'];
const texts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud83d',
  '\udc00\ud800',
  '\u202e\u2066',
  '\ufeff',
  '\uffff',
  'İıſß',
  '\u0301'.repeat(50),
  '👩‍👩‍👧‍👦'.repeat(20),
  "';--",
  '%00%ff%s%n{{7*7}}',
  '\r\nX-Injected: 1',
  '../../../etc/passwd',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '-1',
  '1e309',
  '+1650555123',
  '+16505551234',
  'a@b.co',
  'http://127.0.0.1:9/',
  'https://example.com/hooks',
  '0000-00-00T00:00:00Z',
  '2026-02-30',
  '+275760-09-13T00:00:00.001Z',
  '2099-12-31T23:59:60+99:99',
  '00000000-0000-0000-0000-000000000000',
];

/** Characters of every kind, halves of pairs among them. */
const anyText = fc.oneof(
  fc.constantFrom(...texts),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 10 }).map((units) => String.fromCharCode(...units)),
  fc.tuple(fc.constantFrom('x', ' ', 'é', '😀', '\\', '"'), fc.integer({ min: 1, max: 3_000 })).map(([one, n]) => one.repeat(n)),
);

/** Anything JSON can hold. A number of `numbers` is written by `asJson`. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: anyText },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 53, 1e21, [], {}, [[]], [null]) },
  { weight: 1, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.constantFrom(...numbers).map((text) => `\u0001${text}`) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.dictionary(anyText, anyText, { maxKeys: 5 }) },
  { weight: 1, arbitrary: fc.array(anyText, { maxLength: 120 }) },
);

export const asJson = (value: unknown) => (JSON.stringify(value) ?? 'null').replace(/"\\u0001([-+.\dEe]+)"/g, '$1');

const limitOf = ({ rules = [] }: Described, name: string) => rules.find((rule) => rule.name === name)?.args?.limit;
const has = ({ rules = [] }: Described, name: string) => rules.some((rule) => rule.name === name);

function fittingText(described: Described, ids: string[]): fc.Arbitrary<unknown> {
  const max = limitOf(described, 'max') ?? 50;
  const lengths = fc.constantFrom(1, 2, max - 1, max, max + 1, max + 20);
  const sized = fc.tuple(fc.constantFrom('a', 'é', '😀', '1'), lengths).map(([one, length]) => one.repeat(Math.max(0, length)));
  if (has(described, 'guid')) return fc.oneof(fc.constantFrom(...ids), fc.uuid());
  return fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: Math.min(max, 30) }),
    sized,
    fc.constantFrom(...ids),
    anyText,
  );
}

function fitting(described: Described, ids: string[], filled: boolean): fc.Arbitrary<unknown> {
  const { type, allow = [], flags, keys, items = [] } = described;
  const words = allow.filter((word) => typeof word !== 'object' || word === null);
  if (flags?.only && words.length > 0) return fc.constantFrom(...words);
  if (type === 'string') return fittingText(described, ids);
  if (type === 'boolean') return fc.boolean();
  if (type === 'date')
    return fc
      .date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
      .map((at) => at.toISOString());
  if (type === 'number') {
    const [min, max] = [limitOf(described, 'min') ?? -10, limitOf(described, 'max') ?? 1_000];
    return fc.oneof(fc.integer({ min: min - 1, max: max + 1 }), fc.double({ min, max }));
  }
  if (type === 'array') {
    const max = limitOf(described, 'max') ?? 10;
    const item = (inFull: boolean) => (items[0] ? valueFor(items[0], ids, inFull) : anything);
    const short = fc.array(item(filled), { maxLength: Math.min(max, 5) });
    if (filled) return short;
    return fc.oneof(
      { weight: 9, arbitrary: short },
      { weight: 1, arbitrary: fc.array(item(true), { minLength: max, maxLength: max + 1 }) },
    );
  }
  if (type === 'object' && keys)
    return fc.record(Object.fromEntries(Object.entries(keys).map(([key, child]) => [key, valueFor(child, ids, filled)])), {
      requiredKeys: Object.keys(keys).filter((key) => keys[key]!.flags?.presence === 'required'),
    });
  return type === 'object' ? fc.dictionary(anyText, anything, { maxKeys: 8 }) : anything;
}

/**
 * A value as the schema wants it, or nearly so, or something else. `filled`: it stands in a list of full length, and its own lists stay short:
 * full lists in full lists in full lists (the screens, components and options of a flow) are gigabytes.
 */
export function valueFor(described: Described, ids: string[], filled = false): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: fitting(described, ids, filled) }, { weight: 1, arbitrary: anything });
}
