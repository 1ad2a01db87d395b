import { exampleIdOf } from '../../src/platform/examples.ts';
import type { App, Body } from './app.ts';
import { type Definition, definitions } from './contract.ts';

/** Ids that are there, by the kind of record: `contact`, `channel`. */
export type Ids = Partial<Record<string, string>>;

export const paramNamesOf = ({ path }: Pick<Definition, 'path'>): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);

/** What a shop has once: each body of an example gets its own. */
const onlyOnce = ['slug', 'sku', 'code'];
let bodies = 0;
function withItsOwn(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  bodies += 1;
  const own = Object.entries(body).map(([name, value]) => [name, onlyOnce.includes(name) ? `${value}-${bodies}` : value]);
  return Object.fromEntries(own);
}

/** The body the document shows, with these ids in place of those that all examples share. */
export function exampleBody({ example }: Pick<Definition, 'example'>, ids: Ids = {}): unknown {
  if (example.body === undefined) return undefined;
  const swap = (text: string, [kind, id]: [string, string | undefined]) =>
    id === undefined ? text : text.replaceAll(exampleIdOf(kind), id);
  return withItsOwn(JSON.parse(Object.entries(ids).reduce(swap, JSON.stringify(example.body))));
}

/** The endpoint that makes what is found by a parameter: its `Location` is the path up to it. */
const makerOf = (param: string): Definition | undefined =>
  definitions.find(
    (one) =>
      one.location !== undefined &&
      !paramNamesOf(one).includes(param) &&
      definitions.some(({ path }) => path === `${one.location}/:${param}`),
  );

/** Makes such a record by the example of the endpoint that makes them, and what its own path needs before it. */
export async function makeRecord(app: App, param: string, known: Record<string, string> = {}): Promise<string> {
  const maker = makerOf(param);
  if (!maker) throw new Error(`No endpoint makes what ${param} names: say in test/support how one comes about`);
  const params = await makeParams(app, maker, known);
  const named = Object.entries(known).filter(([name]) => name.endsWith('ID'));
  const ids = Object.fromEntries(named.map(([name, id]) => [name.slice(0, -2), id]));
  const { status, body } = await app.call(maker.operationId, { params, body: exampleBody(maker, ids) });
  if (status >= 300) throw new Error(`${maker.operationId} answers its own example with ${status}: ${JSON.stringify(body)}`);
  return (body as Body).id ?? (body as Body).data.id;
}

/** A record for each parameter of a path, those that are known as they are. */
export async function makeParams(app: App, of: Pick<Definition, 'path'>, known: Record<string, string> = {}) {
  const params: Record<string, string> = {};
  for (const name of paramNamesOf(of)) params[name] = known[name] ?? (await makeRecord(app, name, { ...known, ...params }));
  return params;
}
