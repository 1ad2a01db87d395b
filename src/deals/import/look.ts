import { contactsNamed, holdContacts } from '../../contacts/identities/named.ts';
import { maxChanged } from '../../imports/batch.ts';
import type { ImportRequest } from '../../imports/import.entity.ts';
import { exchange } from '../../money/exchange.ts';
import { membersNamed } from '../../organizations/named-members.ts';
import { customKeyOf } from '../../platform/csv/header.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { type DealRow, dealColumns, dealLock } from '../deal-row.ts';
import type { Pipeline, PipelineStage } from '../pipelines/pipeline.entity.ts';
import { type Entry, isBad, type NamedContact, type ReadDeal } from './row.ts';

/** The text of the custom field that names the deal; undefined: the row has none, or no plain value. */
export function keyOf({ key }: ImportRequest, { custom }: ReadDeal): string | undefined {
  const name = key === null ? undefined : customKeyOf(key);
  const value = name !== undefined && custom && Object.hasOwn(custom, name) ? custom[name] : undefined;
  return value === undefined || value === null || typeof value === 'object' ? undefined : JSON.stringify(value);
}

/** SQL: the index over all custom fields; two are enough to see that the value names none. */
const withKey = `
  select x.value::text as value,
         array(
           select d.id
             from deals d
            where d.organization_id = $1
              and d.deleted_at is null
              and d.custom_fields @> jsonb_build_object($2::text, x.value)
            limit 2)::text[] as ids
    from unnest($3::jsonb[]) as x(value)`;

/** Deals by the value that names them, as JSON. */
export async function dealsByKey(own: Own, request: ImportRequest, rows: ReadDeal[]): Promise<Map<string, string[]>> {
  const name = request.key === null ? undefined : customKeyOf(request.key);
  const asked = [...new Set(rows.flatMap((row) => keyOf(request, row) ?? []))];
  if (name === undefined || asked.length === 0) return new Map();
  const found = await own.sql<{ value: string; ids: string[] }>(withKey, [name, asked]);
  return new Map(found.map(({ value, ids }) => [JSON.stringify(JSON.parse(value)), ids]));
}

export const namedDeals = (request: ImportRequest, byKey: Map<string, string[]>, row: ReadDeal): string[] => {
  const key = keyOf(request, row);
  const ids = request.mode === 'upsert' && row.id !== undefined ? [row.id] : [];
  return [...ids, ...((key !== undefined && byKey.get(key)) || [])];
};

export type Seen = { rows: ReadDeal[]; taken: number; ids: string[] };

/** The first rows that change no more deals than a batch may. */
export async function lookAtRows(own: Own, request: ImportRequest, entries: Entry[]): Promise<Seen> {
  const all = entries.flatMap((entry) => (isBad(entry) ? [] : [entry]));
  const byKey = await dealsByKey(own, request, all);
  const ids = new Set<string>();
  const rows: ReadDeal[] = [];
  let taken = entries.length;
  for (const [index, entry] of entries.entries()) {
    if (isBad(entry)) continue;
    const more = namedDeals(request, byKey, entry).filter((id) => !ids.has(id));
    if (ids.size > 0 && ids.size + more.length > maxChanged) {
      taken = index;
      break;
    }
    for (const id of more) ids.add(id);
    rows.push(entry);
  }
  return { rows, taken, ids: [...ids] };
}

export type StageSeen = RowOf<typeof PipelineStage, 'id' | 'name' | 'kind' | 'probability' | 'pipeline_id'> &
  RowOf<typeof Pipeline, 'is_default' | 'needs_lost_reason'> & { pipeline_name: string };

/** All that the rows of a batch refer to. */
export type Around = {
  deals: Map<string, DealRow>;
  byKey: Map<string, string[]>;
  stages: StageSeen[];
  members: Map<string, string>;
  contactOf(named: NamedContact): string | undefined;
  home: string;
};

/** SQL: a few rows of two tables, in the order of the pipelines. */
const allStages = `
  select s.id, s.name, s.kind, s.probability, s.pipeline_id, p.name as pipeline_name, p.is_default, p.needs_lost_reason
    from pipelines p
    join pipeline_stages s on s.organization_id = p.organization_id and s.pipeline_id = p.id
   where p.organization_id = $1
   order by p.created_at, p.id, s.position`;

/** SQL: its probability is of a second table, its contacts are a list made of a third. */
const dealsById = `
  select ${dealColumns}
    from deals k
   where k.organization_id = $1
     and k.id = any($2::uuid[])
     and k.deleted_at is null`;

/** Contacts and members stay until the transaction ends. Throws LocksOutdated. */
export async function lookAround(tx: OwnTx, request: ImportRequest, rows: ReadDeal[]): Promise<Around> {
  const byKey = await dealsByKey(tx, request, rows);
  const ids = [...new Set(rows.flatMap((row) => namedDeals(request, byKey, row)))];
  for (const id of ids) tx.assertLocked(dealLock(id));
  const named = rows.flatMap(({ contacts }) => contacts);
  const ownerOf = await contactsNamed(
    tx,
    named.flatMap((one) => ('identity' in one ? [one.identity] : [])),
  );
  const idOf = (one: NamedContact) => ('id' in one ? one.id : ownerOf(one.identity));
  const there = await holdContacts(
    tx,
    named.flatMap((one) => idOf(one) ?? []),
  );
  const deals = ids.length === 0 ? [] : await tx.sql<DealRow>(dealsById, [ids]);
  return {
    deals: new Map(deals.map((deal) => [deal.id, deal])),
    byKey,
    stages: await tx.sql<StageSeen>(allStages),
    members: await membersNamed(
      tx,
      rows.flatMap(({ values }) => values.owner ?? []),
    ),
    contactOf(one) {
      const id = idOf(one);
      return id !== undefined && there.has(id) ? id : undefined;
    },
    home: (await exchange(tx, [])).home,
  };
}
