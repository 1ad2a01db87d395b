import { type SqlBool, sql } from 'kysely';
import { statement } from '../../src/platform/database/statement.ts';
import { matchStatus } from '../../src/provider-webhooks/apply-status.ts';
import { matchStatusJob } from '../../src/provider-webhooks/jobs.ts';
import { UnmatchedStatus } from '../../src/provider-webhooks/provider-webhook.entity.ts';
import { handle } from '../handler.ts';

const keptStatus = statement((select, { id }: { id: string }) =>
  select(UnmatchedStatus)
    .select(['channel_id', 'status', 'state'])
    .select(sql<SqlBool>`received_at < clock_timestamp() - interval '10 min'`.as('is_old'))
    .where('id', '=', id),
);

/** Every 5 s for 10 minutes; then a status of an unknown message is dropped. */
export const matchKeptStatus = handle(matchStatusJob, async ({ status_id: id }, context) => {
  const { own, transact } = context;
  const [kept] = await keptStatus(own, { id });
  if (kept?.state !== 'waiting') return context.finish();
  const isMatched = await matchStatus(own, transact, kept.channel_id, kept.status);
  if (!isMatched && !kept.is_old) return context.wait(5_000, { reason: 'no message has this id yet' });
  return context.finish(async (tx) => {
    await tx.own.update(UnmatchedStatus, { id }, { state: isMatched ? 'matched' : 'dropped' });
  });
});
