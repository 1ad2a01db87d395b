import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { list, type Page } from '../../platform/listing/paging.ts';
import type { ContactTx } from '../contact-tx.ts';
import { assertContact } from '../queries.ts';
import { type ConsentStatus, ContactPermissionChange, type SuppressionChannel } from './permission.entity.ts';

export type By = { actor: string; source: string; proof: string };

type Change = { channel: SuppressionChannel; reason?: string; expiresAt?: Date | null } & (
  | { kind: 'consent'; state: ConsentStatus }
  | { kind: 'suppression'; state: 'suppressed' | 'lifted' }
);

const columns = ['id', 'kind', 'channel', 'state', 'reason', 'source', 'proof', 'expires_at', 'actor', 'created_at'] as const;
export type PermissionHistoryRow = RowOf<typeof ContactPermissionChange, (typeof columns)[number]>;

export function recordPermission(tx: ContactTx, { expiresAt, ...change }: Change, by: By): Promise<void> {
  const expires_at = expiresAt?.toISOString() ?? null;
  return tx.insert(ContactPermissionChange, { contact_id: tx.contactId, expires_at, ...change, ...by });
}

const history = list((select, { contactId }: { contactId: string }) =>
  select(ContactPermissionChange).select(columns).where('contact_id', '=', contactId),
);

export async function listPermissionHistory(own: Own, contactId: string, page: Page) {
  await assertContact(own, contactId);
  return history(own, { contactId }, page);
}
