import type { Em } from '../../platform/database/database.ts';
import type { Tx } from '../../platform/ledger/tx.ts';
import { type Page, type PageRows, pageOfTable } from '../../platform/listing/paging.ts';
import type { ConsentChannel, ConsentStatus } from './permission.entity.ts';
import { type By, recordPermission } from './permission-history.ts';

export type Consent = { channel: ConsentChannel; status: ConsentStatus };
export type ConsentRow = Consent & { id: string; source: string; proof: string; changed_at: string; created_at: string };

const columns = 'id, channel, status, source, proof, changed_at, created_at';

const insert = `insert into contact_consents as c (id, organization_id, contact_id, channel, status, source, proof, changed_at)
  values (uuidv7(), $1, $2, $3, $4, $5, $6, coalesce(least($7::timestamptz, clock_timestamp()), clock_timestamp()))
  on conflict on constraint contact_consents_channel do update set`;
/** The status as it was; none: there was no row. */
const returning = `returning new.${columns.replaceAll(', ', ', new.')}, old.status as was`;

const decide = `${insert} status = excluded.status, source = excluded.source, proof = excluded.proof, changed_at = excluded.changed_at
  where (c.status, c.source, c.proof) is distinct from (excluded.status, excluded.source, excluded.proof) ${returning}`;

// Providers tell seconds: within one the refusal counts. The same word again only moves the time, so that an older one stays older.
const hear = `${insert} status = excluded.status, changed_at = excluded.changed_at,
    source = case when c.status = excluded.status then c.source else excluded.source end,
    proof = case when c.status = excluded.status then c.proof else excluded.proof end
  where date_trunc('second', c.changed_at) < date_trunc('second', $7::timestamptz)
     or (date_trunc('second', c.changed_at) = date_trunc('second', $7::timestamptz) and c.status <> 'denied' and excluded.status = 'denied') ${returning}`;

const paramsOf = (organizationId: string, contactId: string, { channel, status }: Consent, { source, proof }: By) => [
  organizationId,
  contactId,
  channel,
  status,
  source,
  proof,
];

/** What the organization records: counts from now. The same again changes nothing. The contact's lock is held. */
export async function setConsent(
  tx: Tx,
  organizationId: string,
  contactId: string,
  consent: Consent,
  by: By,
): Promise<{ row: ConsentRow; isChanged: boolean }> {
  const [changed] = await tx.query<ConsentRow & { was?: string | null }>(decide, [
    ...paramsOf(organizationId, contactId, consent, by),
    null,
  ]);
  if (changed) {
    const { was, ...row } = changed;
    await recordPermission(
      tx,
      organizationId,
      contactId,
      { kind: 'consent', channel: consent.channel, state: consent.status },
      by,
    );
    return { row, isChanged: true };
  }
  const [row] = await tx.query<ConsentRow>(
    `select ${columns} from contact_consents where organization_id = $1 and contact_id = $2 and channel = $3`,
    [organizationId, contactId, consent.channel],
  );
  return { row: row!, isChanged: false };
}

/**
 * What the person said at a moment, which may be told late, twice or out of order: an older word does not undo a newer one. True when the
 * consent became another. The contact's lock is held.
 */
export async function hearConsent(
  tx: Tx,
  organizationId: string,
  contactId: string,
  consent: Consent,
  at: Date,
  by: By,
): Promise<boolean> {
  const [heard] = await tx.query<{ was: string | null }>(hear, [...paramsOf(organizationId, contactId, consent, by), at]);
  if (!heard || heard.was === consent.status) return false;
  await recordPermission(tx, organizationId, contactId, { kind: 'consent', channel: consent.channel, state: consent.status }, by);
  return true;
}

export const listConsents = (em: Em, organizationId: string, contactId: string, page: Page): Promise<PageRows<ConsentRow>> =>
  pageOfTable(
    em,
    `select ${columns} from contact_consents where organization_id = $1 and contact_id = $2`,
    [organizationId, contactId],
    page,
  );
