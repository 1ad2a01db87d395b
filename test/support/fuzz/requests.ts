import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Definition } from '../contract.ts';
import { fc } from '../fast-check.ts';
import { hostileBodies, takesJson } from '../hostile-bodies.ts';
import { anything, asJson, type Described, valueFor } from './values.ts';

export type FuzzedRequest = { method: string; path: string; headers: Record<string, string>; body?: Buffer };
type Known = { owned: Record<string, string>; good: object; signedWith: string };

const described = (schema: { describe(): unknown } | undefined) =>
  (schema?.describe() ?? { type: 'object', keys: {} }) as Described;

/** The good body with some fields as the schema wants them or otherwise, some left out, some nobody knows. */
function mutated(good: object, schema: Described, ids: string[]): fc.Arbitrary<unknown> {
  const fields = fc.record(
    Object.fromEntries(Object.entries(schema.keys ?? {}).map(([key, child]) => [key, valueFor(child, ids)])),
    {
      requiredKeys: [],
    },
  );
  const names = Object.keys(good);
  const known = Object.keys(schema.keys ?? {});
  const left: fc.Arbitrary<string[]> = names.length > 0 ? fc.subarray(names, { maxLength: 1 }) : fc.constant([]);
  const strange = fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.dictionary(fc.string(), anything, { maxKeys: 3 }) },
  );
  return fc
    .tuple(fields, fc.subarray(known, { maxLength: Math.min(2, known.length) }), left, strange)
    .map(([made, changed, without, more]) => ({
      ...Object.fromEntries(Object.entries(good).filter(([name]) => !without.includes(name))),
      ...Object.fromEntries(Object.entries(made).filter(([name]) => changed.includes(name))),
      ...more,
    }));
}

/** What JSON.stringify does not write. */
const spoiled: ((text: string) => string)[] = [
  (text) => text.slice(0, -1),
  (text) => text.slice(0, Math.floor(text.length / 2)),
  (text) => text + text,
  (text) => `\ufeff${text}`,
  (text) => text.replace('{', '{"__proto__":{"scope":"all"},'),
  (text) => text.replace('{', '{"a":1,"a":2,"constructor":{"prototype":{}},'),
  (text) => text.replace(/"/, "'"),
  (text) => text.replace('}', ',}'),
  (text) => `[${text}]`,
  (text) => `"${text}"`,
  () => '',
  () => 'null',
];

function jsonBody(definition: Definition, { good, owned }: Known): fc.Arbitrary<Buffer> {
  const schema = described(definition.body);
  const ids = Object.values(owned);
  const sound = fc.oneof(mutated(good, schema, ids), valueFor(schema, ids)).map(asJson);
  const wild = fc.tuple(sound, fc.constantFrom(...spoiled)).map(([text, spoil]) => spoil(text));
  const hostile = [...hostileBodies(definition, 24 * 1024)].map(({ body }) => body);
  return fc
    .oneof({ weight: 8, arbitrary: sound }, { weight: 2, arbitrary: wild }, { weight: 1, arbitrary: fc.constantFrom(...hostile) })
    .map((text) => Buffer.from(text))
    .chain((bytes) =>
      fc.oneof(
        { weight: 20, arbitrary: fc.constant(bytes) },
        { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((some) => Buffer.from(some)) },
      ),
    );
}

const csv = fc
  .oneof(
    fc
      .array(fc.array(fc.string({ unit: 'binary', maxLength: 10 }), { maxLength: 6 }), { maxLength: 8 })
      .map((rows) => rows.map((row) => row.join(',')).join('\n')),
    fc.string().map((cell) => `phone_number,name\n+16505551234,"${cell}"\n`),
  )
  .map((text) => Buffer.from(text));

const rarely = <T>(arbitrary: fc.Arbitrary<T>, weight = 4) =>
  fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
/** What may stand in a header at all: Node sends nothing else. */
const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .map((code) => String.fromCharCode(code))
    .filter((one) => one !== '\u007f'),
  maxLength: 300,
});

const headers = fc
  .record({
    'idempotency-key': rarely(fc.oneof(headerText, fc.constantFrom('k', 'k-2', 'x'.repeat(255), 'x'.repeat(256), '')), 2),
    // Nothing that makes a request wait: no worker ends its operation.
    prefer: rarely(
      fc.oneof(
        fc.constantFrom('wait=0', 'wait=-1', 'wait', 'respond-async, wait=0', 'wait="x"', ',;,'),
        headerText.map((text) => text.replace(/wait/gi, 'w')),
      ),
    ),
    'x-request-id': rarely(fc.oneof(headerText, fc.constantFrom('a', 'x'.repeat(128), 'x'.repeat(129)))),
    'content-type': rarely(
      fc.constantFrom(
        'application/json; charset=utf-8',
        'APPLICATION/JSON',
        'application/json;charset="utf-16"',
        'application/json; charset=',
        'text/csv',
        'text/plain',
        'multipart/form-data; boundary=x',
        ';',
        '',
        'application/json;;;=;"',
      ),
      8,
    ),
    'content-encoding': rarely(fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'identity', 'x', 'gzip, gzip'), 15),
    accept: rarely(fc.constantFrom('text/html', '*/*', 'application/xml', '')),
    origin: rarely(fc.constantFrom('null', 'https://evil.example', ''), 8),
    'x-forwarded-for': rarely(headerText, 8),
    'x-hub-signature-256': rarely(fc.constantFrom('sha256=', 'sha256=00', 'sha1=x', `sha256=${'0'.repeat(64)}`), 8),
  })
  .map((given) => Object.fromEntries(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined)));

const wildSegment = fc.oneof(
  fc.constantFrom(
    '%00',
    '%E0%A4%A',
    '%',
    '%2F',
    '%2e%2e',
    '%F0%9F%98%80',
    'x'.repeat(5_000),
    '0',
    'null',
    '+16505551234',
    '%20',
    'a%00b',
    '%ED%A0%80',
    '1;2',
    '@',
    '~',
    '::',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map((text) => encodeURIComponent(text.toWellFormed())),
);

function pathOf({ path }: Definition, owned: Record<string, string>): fc.Arbitrary<string> {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const segment = (name: string) =>
    fc.oneof(
      { weight: 5, arbitrary: fc.constant(encodeURIComponent(owned[name] ?? 'none')) },
      { weight: 1, arbitrary: fc.uuid() },
      { weight: 1, arbitrary: fc.constant((owned[name] ?? 'none').toUpperCase()) },
      { weight: 2, arbitrary: wildSegment },
    );
  return fc
    .tuple(...names.map(segment))
    .map((segments) => names.reduce((text, name, index) => text.replace(`:${name}`, () => segments[index]!), path));
}

function queryOf({ query }: Definition, ids: string[]): fc.Arbitrary<string> {
  const keys = described(query).keys ?? {};
  const text = (value: unknown) =>
    encodeURIComponent((typeof value === 'string' ? value : asJson(value)).toWellFormed())
      .slice(0, 5_000)
      .replace(/%.?$/, '');
  const filters = fc.array(
    fc.record({ field: anything, operator: fc.constantFrom('eq', 'in', 'between', 'contains', 'gt', 'x'), value: anything }),
    { maxLength: 22 },
  );
  const known = fc.record(
    Object.fromEntries(
      Object.entries(keys).map(([key, child]) => [
        key,
        key === 'filters' ? fc.oneof(filters, valueFor(child, ids)) : valueFor(child, ids),
      ]),
    ),
    { requiredKeys: [] },
  );
  const sound = known.map((values) =>
    Object.entries(values)
      .map(([key, value]) => `${key}=${text(value)}`)
      .join('&'),
  );
  const names = [...Object.keys(keys), 'nonsense', 'offset', '__proto__', 'hub.mode', '%00'];
  const wild = fc.oneof(
    fc
      .tuple(fc.constantFrom(...names), fc.integer({ min: 2, max: 700 }))
      .map(([name, times]) => Array(times).fill(`${name}=1`).join('&')),
    fc
      .tuple(fc.constantFrom(...names), fc.constantFrom('=%', '[]=1', '[a][b]=1', '=%00', '=%ED%A0%80', '', '=&=&&', '=%E0%A4%A'))
      .map((parts) => parts.join('')),
    fc.integer({ min: 90, max: 700 }).map((count) => Array.from({ length: count }, (_, index) => `n${index}=1`).join('&')),
    anything.map((value) => `limit=${text(value)}&cursor=${text(value)}`),
  );
  return fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 4, arbitrary: sound }, { weight: 2, arbitrary: wild });
}

/** Requests of an operation: as its schemas want them, nearly so, and otherwise. Credentials are the sender's affair. */
export function requestsOf(definition: Definition, known: Known): fc.Arbitrary<FuzzedRequest> {
  const { method, receive, rawBodyBytes } = definition;
  const ids = Object.values(known.owned);
  const signed = mutated(known.good, { type: 'object', keys: { entry: { type: 'array' }, object: { type: 'string' } } }, ids).map(
    (body) => Buffer.from(asJson(body)),
  );
  const body: fc.Arbitrary<Buffer | undefined> = takesJson(definition)
    ? jsonBody(definition, known)
    : receive
      ? csv
      : method === 'get'
        ? fc.constant(undefined)
        : rawBodyBytes
          ? signed
          : rarely(fc.constant(Buffer.from('{}')));
  return fc
    .tuple(pathOf(definition, known.owned), queryOf(definition, ids), headers, body, fc.integer({ min: 0, max: 9 }))
    .map(([path, query, given, bytes, chance]) => {
      const type = receive?.contentType ?? 'application/json';
      // One in five is really compressed, in whatever it says it is.
      const sent = bytes && given['content-encoding'] && chance < 2 ? gzipSync(bytes) : bytes;
      const signature = rawBodyBytes &&
        bytes &&
        chance > 0 && { 'x-hub-signature-256': `sha256=${createHmac('sha256', known.signedWith).update(sent!).digest('hex')}` };
      return {
        method: method.toUpperCase(),
        path: query ? `${path}?${query}` : path,
        headers: { ...(sent && { 'content-type': type, 'content-length': String(sent.length) }), ...given, ...signature },
        ...(sent && { body: sent }),
      };
    });
}
