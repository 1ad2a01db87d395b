import type { Em } from '../../platform/database/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { Tx } from '../../platform/ledger/tx.ts';
import { type Page, type PageRows, pageOfTable } from '../../platform/listing/paging.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Identity } from '../queries.ts';
import type { SuppressionChannel, SuppressionReason } from './permission.entity.ts';
import { type By, recordPermission } from './permission-history.ts';
import { hashesOf } from './suppressed-addresses.ts';

export type Suppression = {
  channel: SuppressionChannel;
  reason: SuppressionReason;
  /** null: until it is lifted. */
  expiresAt: Date | null;
};
export type SuppressionRow = {
  id: string;
  channel: Suppression['channel'];
  reason: Suppression['reason'];
  expires_at: string | null;
  created_at: string;
  updated_at: string;
};
export type Suppressed = { row: SuppressionRow; isNew: boolean; isChanged: boolean };

const columns = 'id, channel, reason, expires_at, created_at, updated_at';
/** Not over; one that is counts as gone, though its row stays until the next. */
export const isLive = (of: string) => `(${of}.expires_at is null or ${of}.expires_at > clock_timestamp())`;

/** Creates the suppression of a channel or updates it; the same again changes nothing. The contact's lock is held. */
export async function suppress(
  tx: Tx,
  organizationId: string,
  contactId: string,
  { channel, reason, expiresAt }: Suppression,
  by: By,
): Promise<Suppressed> {
  const key = [organizationId, contactId, channel];
  const own = 's.organization_id = $1 and s.contact_id = $2 and s.channel = $3';
  await tx.query(`delete from contact_suppressions s where ${own} and not ${isLive('s')}`, key);
  const [written] = await tx.query<SuppressionRow & { is_new: boolean }>(
    `insert into contact_suppressions as s (id, organization_id, contact_id, channel, reason, expires_at)
     values (uuidv7(), $1, $2, $3, $4, $5)
     on conflict on constraint contact_suppressions_channel do update set reason = excluded.reason, expires_at = excluded.expires_at,
       updated_at = clock_timestamp()
      where (s.reason, s.expires_at) is distinct from (excluded.reason, excluded.expires_at)
     returning new.${columns.replaceAll(', ', ', new.')}, old.id is null as is_new`,
    [...key, reason, expiresAt],
  );
  if (!written) {
    const [row] = await tx.query<SuppressionRow>(`select ${columns} from contact_suppressions s where ${own}`, key);
    return { row: row!, isNew: false, isChanged: false };
  }
  const { is_new: isNew, ...row } = written;
  await recordPermission(
    tx,
    organizationId,
    contactId,
    { kind: 'suppression', channel, state: 'suppressed', reason, expiresAt },
    by,
  );
  return { row, isNew, isChanged: true };
}

/**
 * Ends a suppression, and what is remembered of it under the contact's addresses: it would come back with them. The contact's lock is
 * held. Throws 404.
 */
export async function liftSuppression(
  tx: Tx,
  secrets: Secrets,
  organizationId: string,
  contactId: string,
  id: string,
  by: By,
): Promise<void> {
  const [lifted] = await tx.query<SuppressionRow>(
    `delete from contact_suppressions s where s.organization_id = $1 and s.contact_id = $2 and s.id = $3 and ${isLive('s')} returning ${columns}`,
    [organizationId, contactId, id],
  );
  if (!lifted) throw notFound('Suppression');
  const { channel, reason } = lifted;
  const identities = await tx.query<Identity>(
    'select type, source, value from contact_identities where organization_id = $1 and contact_id = $2',
    [organizationId, contactId],
  );
  await tx.query('delete from suppressed_addresses where organization_id = $1 and hash = any($2::bytea[]) and channel = $3', [
    organizationId,
    hashesOf(secrets, organizationId, identities),
    channel,
  ]);
  await recordPermission(tx, organizationId, contactId, { kind: 'suppression', channel, state: 'lifted', reason }, by);
}

/** Those in force. */
export const listSuppressions = (
  em: Em,
  organizationId: string,
  contactId: string,
  page: Page,
): Promise<PageRows<SuppressionRow>> =>
  pageOfTable(
    em,
    `select ${columns} from contact_suppressions s where s.organization_id = $1 and s.contact_id = $2 and ${isLive('s')}`,
    [organizationId, contactId],
    page,
  );
