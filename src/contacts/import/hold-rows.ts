import type { PoolClient } from 'pg';
import { contactLock } from '../events.ts';
import { resolveRows, type Standing, Taken, unstageRefused } from './resolve-rows.ts';
import { type StagedRow, unstageRows } from './staging.ts';
import { wavesOf } from './waves.ts';

/** The server has room for some 6,400 locks in all: a batch that changes more contacts than these ends earlier. */
const mostLocks = 1_000;

export type Held = {
  /** Of those staged, from the first; the others were too many. */ rows: StagedRow[];
  waves: number[];
  standings: Map<number, Standing>;
};

const keyOf = ({ id, identities }: StagedRow, standing: Standing | undefined) => [
  ...(id === undefined ? [] : [id]),
  ...identities.map(({ type, source, value }) => `${type}\n${source}\n${value}`),
  ...(standing?.kind === 'known' ? [standing.owner] : []),
];

/** Whose the rows are, with the locks of all contacts that are to change: nobody else changes them until the commit. Throws Taken. */
export async function holdRows(client: PoolClient, organizationId: string, staged: StagedRow[]): Promise<Held> {
  const first = await resolveRows(client, organizationId, staged, [0, 0]);
  const places = wavesOf(staged.map((row) => keyOf(row, first.get(row.n))));
  const shared = new Set(places.flatMap(({ wave, group }) => (wave > 0 ? [group] : [])));
  const wanted = new Set<string>();
  let end = 0;
  for (; end < staged.length; end += 1) {
    const standing = first.get(staged[end]!.n);
    if (standing?.kind !== 'known' || !(standing.isChanged || shared.has(places[end]!.group))) continue;
    if (wanted.size === mostLocks && !wanted.has(standing.owner)) break;
    wanted.add(standing.owner);
  }
  const rows = staged.slice(0, end);
  await unstageRows(
    client,
    staged.slice(end).map(({ n }) => n),
  );
  const standings = wanted.size === 0 ? first : await lookAgain(client, organizationId, rows, wanted, first);
  const late = rows.filter((_, index) => places[index]!.wave > 0);
  if (late.length > 0)
    await client.query('update import_rows r set wave = x.wave from unnest($1::int[], $2::int[]) as x(n, wave) where r.n = x.n', [
      late.map(({ n }) => n),
      rows.flatMap((_, index) => (places[index]!.wave > 0 ? [places[index]!.wave] : [])),
    ]);
  await unstageRefused(client, standings);
  return { rows, waves: places.slice(0, end).map(({ wave }) => wave), standings };
}

/** What was seen before the locks may have changed until they were had. */
async function lookAgain(
  client: PoolClient,
  organizationId: string,
  rows: StagedRow[],
  held: Set<string>,
  before: Map<number, Standing>,
): Promise<Map<number, Standing>> {
  const locks = [...held].map(contactLock).sort();
  await client.query('select pg_advisory_xact_lock(hashtextextended(lock, 0)) from unnest($1::text[]) as lock', [locks]);
  const standings = await resolveRows(client, organizationId, rows, [0, 0]);
  for (const { n } of rows) {
    const [was, is] = [before.get(n)!, standings.get(n)!];
    const isSame =
      was.kind === is.kind && (is.kind !== 'known' || (is.owner === ownerOf(was) && (!is.isChanged || held.has(is.owner))));
    if (!isSame) throw new Taken();
  }
  return standings;
}

const ownerOf = (standing: Standing) => (standing.kind === 'known' ? standing.owner : undefined);
