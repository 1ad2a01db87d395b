import { sql } from 'kysely';
import { statement } from '../platform/database/statement.ts';
import { AppError } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { Campaign } from './campaign.entity.ts';
import { campaignsLock } from './campaign-row.ts';

export const maxLive = 100;

const countLive = statement((select) =>
  select(Campaign)
    .select(sql<number>`count(*)::int`.as('total'))
    .where('status', 'in', ['scheduled', 'running', 'paused'])
    .where('deleted_at', 'is', null),
);

/** Needs `campaignsLock`. Throws 422. */
export async function assertRoom(own: OwnTx): Promise<void> {
  own.assertLocked(campaignsLock(own.organizationId));
  const [counted] = await countLive(own, {});
  if (counted!.total < maxLive) return;
  const message = `At most ${maxLive} campaigns of an organization are scheduled, running or paused at a time`;
  throw new AppError('limit_reached', message);
}
