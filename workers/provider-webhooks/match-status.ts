import { query } from '../../src/platform/database/query.ts';
import { matchStatus } from '../../src/provider-webhooks/apply-status.ts';
import { matchStatusJob } from '../../src/provider-webhooks/jobs.ts';
import type { InboundStatus } from '../../src/providers/messaging-app/inbound.ts';
import { handle } from '../handler.ts';

type Row = { organization_id: string; channel_id: string; status: InboundStatus; state: string; is_old: boolean };

/** Every 5 s for 10 minutes; a status that belongs to no message of ours by then never will. */
export const matchKeptStatus = handle(matchStatusJob, async ({ status_id }, context) => {
  const [row] = await query<Row>(
    context.em,
    `select organization_id, channel_id, status, state, received_at < clock_timestamp() - interval '10 min' as is_old from unmatched_statuses where id = $1`,
    [status_id],
  );
  if (row?.state !== 'waiting') return context.finish();
  const isMatched = await matchStatus(
    context.em,
    context.ledger.transact,
    { id: row.channel_id, organizationId: row.organization_id },
    row.status,
  );
  if (!isMatched && !row.is_old) return context.wait(5_000, { reason: 'no message has this id yet' });
  return context.finish(
    async (tx) =>
      void (await tx.query('update unmatched_statuses set state = $2 where id = $1', [
        status_id,
        isMatched ? 'matched' : 'dropped',
      ])),
  );
});
