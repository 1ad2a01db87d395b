import { sql } from 'kysely';
import { inForce } from '../../platform/database/in-force.ts';
import type { Own, Select } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import { list, type Page } from '../../platform/listing/paging.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { ContactIdentity } from '../contact.entity.ts';
import type { ContactTx } from '../contact-tx.ts';
import { assertContact } from '../queries.ts';
import { noteOptOut } from './campaign-opt-out.ts';
import { ContactSuppression, SuppressedAddress, type SuppressionChannel, type SuppressionReason } from './permission.entity.ts';
import { type By, recordPermission } from './permission-history.ts';
import { hashesOf } from './suppressed-addresses.ts';

export type Suppression = {
  channel: SuppressionChannel;
  reason: SuppressionReason;
  expiresAt: Date | null;
};

const columns = ['id', 'channel', 'reason', 'expires_at', 'created_at', 'updated_at'] as const;
export type SuppressionRow = RowOf<typeof ContactSuppression, (typeof columns)[number]>;
export type Suppressed = { row: SuppressionRow; isNew: boolean };

/** Expired rows stay until the channel is suppressed again. */
const suppressionsOf = (select: Select, { contactId }: { contactId: string }) =>
  select(ContactSuppression)
    .select(columns)
    .where('contact_id', '=', contactId)
    .where(inForce('contact_suppressions.expires_at'));

const suppressions = list(suppressionsOf);
const suppressionById = statement((select, params: { contactId: string; id: string }) =>
  suppressionsOf(select, params).where('id', '=', params.id),
);
const suppressionOf = statement((select, params: { contactId: string; channel: SuppressionChannel }) =>
  select(ContactSuppression)
    .select(columns)
    // By the database's clock, as the list.
    .select(inForce('contact_suppressions.expires_at').as('is_in_force'))
    .where('contact_id', '=', params.contactId)
    .where('channel', '=', params.channel),
);
const changeSuppression = statement(
  (_select, params: { id: string; reason: SuppressionReason; expires_at: string | null }, update) =>
    update(ContactSuppression)
      .set({ reason: params.reason, expires_at: params.expires_at, updated_at: sql<string>`clock_timestamp()` })
      .where('id', '=', params.id)
      .returning(columns),
);
const identitiesOfContact = statement((select, { contactId }: { contactId: string }) =>
  select(ContactIdentity).select(['type', 'source', 'value']).where('contact_id', '=', contactId),
);

/** Idempotent. */
export async function suppress(tx: ContactTx, { channel, reason, expiresAt }: Suppression, by: By): Promise<Suppressed> {
  const { contactId } = tx;
  const expires_at = expiresAt?.toISOString() ?? null;
  const [found] = await suppressionOf(tx, { contactId, channel });
  const known = found?.is_in_force ? found : undefined;
  if (known?.reason === reason && millis(known.expires_at) === millis(expires_at)) return { row: known, isNew: false };
  if (found && !known) await tx.delete(ContactSuppression, { id: found.id });
  await recordPermission(tx, { kind: 'suppression', channel, state: 'suppressed', reason, expiresAt }, by);
  if (reason === 'unsubscribed') await noteOptOut(tx);
  tx.changed('suppressions');
  if (known) {
    const [row] = await changeSuppression(tx, { id: known.id, reason, expires_at });
    return { row: row!, isNew: false };
  }
  const row = tx.create(ContactSuppression, { contact_id: contactId, channel, reason, expires_at });
  // Loads the database's timestamps for the reply.
  await tx.flush();
  return { row, isNew: true };
}

const millis = (time: string | null) => (time === null ? null : Date.parse(time));

/** Also forgets the suppression of the contact's addresses, or it would return with them. Throws 404. */
export async function liftSuppression(tx: ContactTx, secrets: Secrets, id: string, by: By): Promise<void> {
  const { contactId, organizationId } = tx;
  const [lifted] = await suppressionById(tx, { contactId, id });
  if (!lifted) throw notFound('Suppression');
  await tx.delete(ContactSuppression, { id });
  const { channel, reason } = lifted;
  const hashes = hashesOf(secrets, organizationId, await identitiesOfContact(tx, { contactId }));
  await tx.delete(SuppressedAddress, { hash: { $in: hashes }, channel });
  await recordPermission(tx, { kind: 'suppression', channel, state: 'lifted', reason }, by);
  tx.changed('suppressions');
}

/** Expired ones are left out. */
export async function listSuppressions(own: Own, contactId: string, page: Page) {
  await assertContact(own, contactId);
  return suppressions(own, { contactId }, page);
}
