import type { PoolClient } from 'pg';
import { contactLock } from '../events.ts';
import { identityKey, withSpellings } from '../identities/identity.ts';
import type { Write } from './apply-rows.ts';
import { foldRows } from './fold-rows.ts';
import { groupsOf } from './groups.ts';
import { findPeople } from './people.ts';
import { resolveRows, type Standing, Taken } from './resolve-rows.ts';
import { copyRows, type StagedRow, stageRows, unstageRows } from './staging.ts';
import { standInsOf } from './stand-ins.ts';

/** The server has room for some 6,400 locks: a batch that changes more contacts ends earlier. */
const maxLocks = 1_000;

export type Held = {
  /** The first of those staged; the others were too many. */
  rows: StagedRow[];
  standings: Map<number, Standing>;
  /** One row for each contact. */
  writes: Write[];
};

const keyOf = ({ id, identities }: StagedRow, standing: Standing | undefined) => [
  ...(id === undefined ? [] : [id]),
  ...withSpellings(identities).map(identityKey),
  ...(standing?.kind === 'known' ? [standing.owner] : []),
];

/** Stages the rows, and locks all contacts that will change until the commit. Rows of one contact become one. Throws Taken. */
export async function holdRows(client: PoolClient, organizationId: string, staged: StagedRow[]): Promise<Held> {
  const { looked, spread } = standInsOf(staged);
  await stageRows(client, looked);
  const resolved = async (rows: StagedRow[]) => {
    const last = rows.at(-1)!.n;
    return spread(
      await resolveRows(
        client,
        organizationId,
        looked.filter(({ n }) => n <= last),
      ),
      rows,
    );
  };
  const first = await resolved(staged);
  const { groups, shared } = groupsOf(staged.map((row) => keyOf(row, first.get(row.n))));
  const held = new Set<string>();
  let end = 0;
  for (; end < staged.length; end += 1) {
    const standing = first.get(staged[end]!.n);
    if (standing?.kind !== 'known' || !(standing.isChanged || shared.has(groups[end]!))) continue;
    if (held.size === maxLocks && !held.has(standing.owner)) break;
    held.add(standing.owner);
  }
  const rows = staged.slice(0, end);
  await unstageRows(
    client,
    staged.slice(end).map(({ n }) => n),
  );
  const standings = held.size === 0 ? first : await resolveAgain(client, () => resolved(rows), held, first);
  const together = rows.filter((_, index) => shared.has(groups[index]!));
  const folded = await fold(client, organizationId, together, held, standings);
  const refused = rows.filter(({ n }) => standings.get(n)!.kind === 'refused').map(({ n }) => n);
  await unstageRows(client, refused);
  const alone = rows.filter((_, index) => !shared.has(groups[index]!));
  return { rows, standings, writes: [...alone.flatMap((row) => writeOf(row, standings.get(row.n)!)), ...folded] };
}

/** One row replaces all that name the same contact. */
async function fold(
  client: PoolClient,
  organizationId: string,
  rows: StagedRow[],
  held: Set<string>,
  standings: Map<number, Standing>,
): Promise<Write[]> {
  if (rows.length === 0) return [];
  const people = await findPeople(client, organizationId, rows);
  const folded = await foldRows(rows, people, held);
  for (const [n, standing] of folded.standings) standings.set(n, standing);
  await unstageRows(
    client,
    rows.map(({ n }) => n),
  );
  await copyRows(client, folded.written);
  return folded.written.map(({ n, owner, contactId, identities, tags }) => ({
    n,
    contactId: owner ?? contactId,
    isNew: owner === undefined,
    identities: identities.length,
    hasTags: tags.length > 0,
    lacksTags: tags.length > 0,
    isFolded: true,
  }));
}

function writeOf({ n, contactId, identities, tags }: StagedRow, standing: Standing): Write[] {
  const row = { n, hasTags: tags.length > 0, isFolded: false };
  if (standing.kind === 'new') return [{ ...row, contactId, isNew: true, identities: identities.length, lacksTags: row.hasTags }];
  if (standing.kind === 'refused' || !standing.isChanged) return [];
  const { owner, missing, lacksTags } = standing;
  return [{ ...row, contactId: owner, isNew: false, identities: missing, lacksTags }];
}

/** Rows read before the locks may have changed. */
async function resolveAgain(
  client: PoolClient,
  resolved: () => Promise<Map<number, Standing>>,
  held: Set<string>,
  before: Map<number, Standing>,
): Promise<Map<number, Standing>> {
  const locks = [...held].map(contactLock).sort();
  // SQL: all locks by one statement, in their order.
  await client.query(
    `select pg_advisory_xact_lock(hashtextextended(lock, 0))
       from unnest($1::text[]) as lock`,
    [locks],
  );
  const standings = await resolved();
  for (const [n, is] of standings) {
    const was = before.get(n)!;
    const isSame =
      was.kind === is.kind && (is.kind !== 'known' || (is.owner === ownerOf(was) && (!is.isChanged || held.has(is.owner))));
    if (!isSame) throw new Taken();
  }
  return standings;
}

const ownerOf = (standing: Standing) => (standing.kind === 'known' ? standing.owner : undefined);
