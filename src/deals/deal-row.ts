import { revisionTaken } from '../history/history.ts';
import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import type { Deal, DealContact } from './deal.entity.ts';

export type LinkedContact = RowOf<typeof DealContact, 'contact_id' | 'role' | 'is_primary'>;

type Column =
  | ('id' | 'title' | 'status' | 'amount_minor' | 'currency_code' | 'home_currency_at_write' | 'amount_in_home_currency')
  | ('expected_close_at' | 'owner_user_id' | 'source_conversation_id' | 'pipeline_id' | 'stage_id' | 'stage_entered_at')
  | ('position' | 'closed_at' | 'lost_reason' | 'custom_fields' | 'metadata' | 'revision' | 'created_at' | 'updated_at');
/** `probability`: of its stage; null without one. */
export type DealRow = RowOf<typeof Deal, Column> & { probability: number | null; contacts: LinkedContact[] };

/** Orders the events of a deal; every change of a deal holds it. */
export const dealLock = (id: string) => subjectLock('deal', id);

export const dealWrite = (id: string, more: string[] = []) => ({
  locks: [dealLock(id), ...more],
  retryOn: [revisionTaken, 'deal_contacts_primary', 'deal_contacts_pkey'],
});

/** The fields of the wire but for the display currency, from a table or CTE called `k`. */
export const dealColumns = `
  k.id, k.title, k.status, k.amount_minor, k.currency_code, k.home_currency_at_write, k.amount_in_home_currency,
  k.expected_close_at, k.owner_user_id, k.source_conversation_id, k.pipeline_id, k.stage_id, k.stage_entered_at, k.position,
  k.closed_at, k.lost_reason, k.custom_fields, k.metadata, k.revision, k.created_at, k.updated_at,
  (select s.probability
     from pipeline_stages s
    where s.organization_id = k.organization_id and s.id = k.stage_id) as probability,
  (select coalesce(jsonb_agg(jsonb_build_object('contact_id', c.contact_id, 'role', c.role, 'is_primary', c.is_primary)
                             order by c.is_primary desc, c.created_at, c.contact_id), '[]')
     from deal_contacts c
    where c.organization_id = k.organization_id and c.deal_id = k.id) as contacts`;

/** SQL: its probability is of a second table, its contacts are a list made of a third. */
const byId = (isInBin: boolean) => `
  select ${dealColumns}
    from deals k
   where k.organization_id = $1
     and k.id = $2
     and k.deleted_at is ${isInBin ? 'not null' : 'null'}`;
const [live, binned] = [byId(false), byId(true)];

export async function findDeal(own: Own, id: string): Promise<DealRow | undefined> {
  const [row] = await own.sql<DealRow>(live, [id]);
  return row;
}

/** Throws 404 for a deal in the bin too. */
export async function getDeal(own: Own, id: string): Promise<DealRow> {
  const row = await findDeal(own, id);
  if (!row) throw notFound('Deal');
  return row;
}

export async function findInBin(own: Own, id: string): Promise<DealRow | undefined> {
  const [row] = await own.sql<DealRow>(binned, [id]);
  return row;
}
