import { largestBody } from '../../api/http/middleware/body.ts';
import type { Definition } from './contract.ts';

/** What Joi tells of a schema, as far as a body can be made hostile by it. */
type Described = {
  type?: string;
  rules?: { name: string; args?: { limit?: number } }[];
  keys?: Record<string, Described>;
  items?: Described[];
};
export type Hostile = { what: string; body: string };
type Path = (string | number)[];

/** A body that the endpoint's schema takes, where the document's example does not show every part. */
const more: Record<string, object[]> = {
  'messages.send': [
    {
      channel_id: '01890000-0000-7000-8000-000000000000',
      to: '+16505551234',
      type: 'template',
      template: { name: 'hello', language: 'en_US', components: [{ type: 'body' }] },
    },
  ],
};

export const takesJson = ({ method, receive, rawBodyBytes }: Definition) =>
  !receive && !rawBodyBytes && method !== 'get' && method !== 'delete';

/** `items`: of a list, and keys of an object; those within others counted too. */
type Size = { bytes: number; items: number };

function upTo({ bytes, items }: Size, piece: (index: number) => string): string[] {
  const pieces: string[] = [];
  for (let size = 2; pieces.length < items; ) {
    const one = piece(pieces.length);
    size += one.length + 1;
    if (size > bytes) break;
    pieces.push(one);
  }
  return pieces;
}
const list = (size: Size, piece: (index: number) => string) => `[${upTo(size, piece).join(',')}]`;
const object = (size: Size, piece: (index: number) => string) => `{${upTo(size, piece).join(',')}}`;
const nested = ({ bytes, items }: Size, open: string, close: string) => {
  const levels = Math.min(Math.floor(bytes / (open.length + close.length)) - 1, items);
  return `${open.repeat(levels)}0${close.repeat(levels)}`;
};

/** JSON values of about so many bytes, each dear in a way of its own. */
const values: Record<string, (size: Size) => string> = {
  'a list of numbers': (size) => list(size, () => '0'),
  'a list of empty objects': (size) => list(size, () => '{}'),
  'a list of empty lists': (size) => list(size, () => '[]'),
  'a list of texts': (size) => list(size, (index) => `"${index}"`),
  'an object of many keys': (size) => object(size, (index) => `"k${index}":0`),
  'an object of long keys': (size) => object(size, (index) => `"${String(index).padEnd(1_000, 'k')}":0`),
  'one key many times': (size) => object(size, () => '"k":0'),
  'an object of one long key': ({ bytes }) => `{"${'k'.repeat(bytes - 8)}":0}`,
  'lists within lists': (size) => nested(size, '[', ']'),
  'objects within objects': (size) => nested(size, '{"a":', '}'),
  'lists 60 deep, side by side': ({ bytes, items }) =>
    list({ bytes, items: items / 60 }, () => nested({ bytes, items: 60 }, '[', ']')),
  'a long text': ({ bytes }) => `"${'x'.repeat(bytes - 2)}"`,
  'a long text of blanks': ({ bytes }) => `"x${' '.repeat(bytes - 4)}x"`,
  'a long text of digits': ({ bytes }) => `"+1${'5 '.repeat((bytes - 4) / 2)}"`,
  'a long text like an address': ({ bytes }) => `"${'a.'.repeat((bytes - 16) / 2)}a@${'b.'.repeat(4)}c"`,
  'a long text of escapes': ({ bytes }) => `"${'\\u00e9'.repeat((bytes - 2) / 6)}"`,
  'a long number': ({ bytes }) => '1'.repeat(bytes),
  'a number of no end': () => '1e999',
  'numbers that are long when written': (size) => list(size, () => '1e300'),
};

/** Also tried at each field of a schema: of what only differs in the parsing, once is enough. */
const inFields = [
  'a list of numbers',
  'a list of empty objects',
  'an object of many keys',
  'an object of long keys',
  'lists 60 deep, side by side',
  'a long text',
  'a long text of digits',
  'a number of no end',
  'numbers that are long when written',
];

function* fieldsOf(described: Described, path: Path = []): Generator<[Path, Described]> {
  for (const [key, field] of Object.entries(described.keys ?? {})) {
    yield [[...path, key], field];
    yield* fieldsOf(field, [...path, key]);
    for (const item of field.items ?? []) yield* fieldsOf(item, [...path, key, 0]);
  }
}

const place = '<here>';

/** The good body as JSON with a value of that JSON at the path. */
function placed(good: object, path: Path, json: string): string {
  const body = structuredClone(good) as Record<string | number, unknown>;
  let at = body;
  for (const [index, step] of path.slice(0, -1).entries()) {
    if (typeof at[step] !== 'object' || at[step] === null) at[step] = typeof path[index + 1] === 'number' ? [] : {};
    at = at[step] as Record<string | number, unknown>;
  }
  at[path.at(-1)!] = place;
  return JSON.stringify(body).replace(JSON.stringify(place), () => json);
}

/** A little less than `BODY_MAX_VALUES`: as many as come to be looked at. */
const countable = 9_000;
const room = 1_024;

/**
 * Every kind of oversized, over-deep and over-long body of about so many bytes: the whole body and a field nobody knows; with no more
 * values than are counted, each field of the schema too.
 */
export function* hostileBodies({ operationId, body: schema, example }: Definition, bytes: number): Generator<Hostile> {
  const fields = [...fieldsOf((schema?.describe() ?? {}) as Described)];
  const goods = [(example?.body ?? {}) as object, ...(more[operationId] ?? [])];
  const [endless, counted] = [Number.POSITIVE_INFINITY, countable].map((items) => ({ bytes: bytes - room, items }));
  for (const [what, value] of Object.entries(values)) {
    const [long, less] = [value(endless!), value(counted!)];
    yield { what: `the body is ${what}, without end`, body: long };
    yield { what: `the body is ${what}`, body: less };
    yield { what: `an unknown field is ${what}, without end`, body: placed(goods[0]!, ['nonsense'], long) };
    yield { what: `an unknown field is ${what}`, body: placed(goods[0]!, ['nonsense'], less) };
    if (inFields.includes(what))
      for (const [path] of fields) yield { what: `${path.join('.')} is ${what}`, body: placed(goodFor(goods, path), path, less) };
  }
  for (const [path, field] of fields) {
    const max = field.rules?.find(({ name }) => name === 'max')?.args?.limit;
    if (field.type !== 'array' || !max) continue;
    const wide = object({ bytes: counted!.bytes / max, items: countable / max }, (index) => `"k${index}":0`);
    const good = goodFor(goods, path);
    const [item = {}] = (at(good, path) ?? []) as unknown[];
    const one = JSON.stringify(item);
    const lists = {
      'as many items as may be, each full of keys': Array(max).fill(wide),
      'as many empty objects as may be': Array(max).fill('{}'),
      'one item too many': Array(max + 1).fill(one),
      'good items without end': upTo(endless!, () => one),
      'too many good items': upTo({ ...counted!, items: 1_000 }, () => one),
    };
    for (const [what, items] of Object.entries(lists))
      yield { what: `${path.join('.')} has ${what}`, body: placed(good, path, `[${items.join(',')}]`) };
  }
  yield {
    what: 'the body has more bytes than allowed',
    body: `${JSON.stringify(goods[0])}${' '.repeat(Math.max(bytes, largestBody))}`,
  };
}

const at = (body: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], body);

/** The one in which the field has its place. */
const goodFor = (goods: object[], path: Path) => goods.find((good) => at(good, path.slice(0, -1)) !== undefined) ?? goods[0]!;
