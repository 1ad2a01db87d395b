import type { Em } from '../../platform/database/database.ts';
import type { Tx } from '../../platform/ledger/tx.ts';
import { type Page, type PageRows, pageOfTable } from '../../platform/listing/paging.ts';

/** Who changed what a person allows, where it was said, and what shows it. */
export type By = { actor: string; source: string; proof: string };

type Change = { channel: string; reason?: string; expiresAt?: Date | string | null } & (
  | { kind: 'consent'; state: 'granted' | 'denied' | 'pending' }
  | { kind: 'suppression'; state: 'suppressed' | 'lifted' }
);

export type PermissionHistoryRow = {
  id: string;
  kind: Change['kind'];
  channel: string;
  state: Change['state'];
  reason: string;
  source: string;
  proof: string;
  expires_at: string | null;
  actor: string;
  created_at: string;
};

/** Written with the change it tells of. */
export async function recordPermission(tx: Tx, organizationId: string, contactId: string, change: Change, by: By): Promise<void> {
  await tx.query(
    `insert into contact_permission_history (id, organization_id, contact_id, kind, channel, state, reason, source, proof, expires_at, actor)
     values (uuidv7(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      organizationId,
      contactId,
      change.kind,
      change.channel,
      change.state,
      change.reason ?? '',
      by.source,
      by.proof,
      change.expiresAt ?? null,
      by.actor,
    ],
  );
}

export const listPermissionHistory = (
  em: Em,
  organizationId: string,
  contactId: string,
  page: Page,
): Promise<PageRows<PermissionHistoryRow>> =>
  pageOfTable(
    em,
    `select id, kind, channel, state, reason, source, proof, expires_at, actor, created_at from contact_permission_history
      where organization_id = $1 and contact_id = $2`,
    [organizationId, contactId],
    page,
  );
