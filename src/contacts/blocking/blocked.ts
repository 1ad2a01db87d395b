import type { Em } from '../../platform/database/database.ts';
import { type Page, type PageRows, pageOfTable } from '../../platform/listing/paging.ts';

export type BlockedRow = { id: string; contact_id: string; phone: string; user_id: string; created_at: string };

/** Whom the provider blocks on a channel, as far as we know; the one blocked last first. `created_at` is since when. */
export function listBlocked(em: Em, organizationId: string, channelId: string, page: Page): Promise<PageRows<BlockedRow>> {
  const statement = `select id, contact_id, phone, user_id, blocked_at as created_at from contact_blocks
     where organization_id = $1 and channel_id = $2 and blocked_at is not null`;
  return pageOfTable<BlockedRow>(em, statement, [organizationId, channelId], page);
}
