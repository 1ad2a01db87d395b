import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';

/** Toys for many jobs, in one statement. Their ids. */
export async function newToys(em: Em, kind: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, uuidv7);
  await query(em, 'insert into toys (id, kind) select id, $2 from unnest($1::uuid[]) id', [ids, kind]);
  return ids;
}

/** Throws where there is a toy with this id. */
export const newToyWithId = (em: Em, id: string, kind: string) =>
  query(em, 'insert into toys (id, kind) values ($1, $2)', [id, kind]);

export async function kindOfToy(em: Em, id: string): Promise<string | undefined> {
  const [toy] = await query<{ kind: string }>(em, 'select kind from toys where id = $1', [id]);
  return toy?.kind;
}

/** The effect of a run: seen as `effects` of the toy. */
export const playWith = (em: Em, id: string) => query(em, 'update toys set effects = effects + 1 where id = $1', [id]);

export const setToyStatus = (em: Em, id: string, status: string) =>
  query(em, 'update toys set status = $2 where id = $1', [id, status]);

export const deleteToy = (em: Em, id: string) => query(em, 'delete from toys where id = $1', [id]);

export const storedToys = (em: Em) => query<{ status: string; effects: number }>(em, 'select status, effects from toys');

export type Played = { lane: string; ids: string[] };

/** The toys that were played, in the order of the runs, lane by lane. */
export const playedByLane = (em: Em) =>
  query<Played>(em, 'select lane, array_agg(toy_id order by seq) as ids from played group by lane');
