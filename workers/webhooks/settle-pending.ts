import { statement } from '../../src/platform/database/statement.ts';
import { Job } from '../../src/platform/ledger/jobs.entity.ts';
import type { TenantTx } from '../../src/platform/ledger/tx.ts';
import { lateMsOf, removeUnused } from '../../src/webhooks/deleted-endpoints.ts';
import { findEndpoint, lockedEndpoint } from '../../src/webhooks/endpoints.ts';
import {
  cancelPendingJob,
  drainPendingJob,
  hastenPendingJob,
  type PendingJob,
  type PendingPayload,
  resumePendingJob,
} from '../../src/webhooks/pending/jobs.ts';
import {
  beginning,
  cancelling,
  draining,
  hastening,
  type Position,
  resuming,
  type Settling,
  settleBatch,
} from '../../src/webhooks/pending/settle.ts';
import { letEndpointGo } from '../../src/webhooks/switch-endpoint.ts';
import { handle, type Outcome, type RunContext } from '../handler.ts';
import { paused, turnOf } from '../turn.ts';

const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const progressOf = statement((select, { id }: { id: string }) => select(Job).select('progress').where('id', '=', id));

const settle = (contract: PendingJob, settling: Settling) =>
  handle<PendingPayload>(contract, async ({ endpoint_id: endpointId, up_to }, context) => {
    const { own, row, transact } = context;
    const lateMs = await lateMsOf(own, endpointId);
    const range = { endpointId, upTo: lateMs === undefined ? up_to : last };
    const goOn = turnOf(context);
    const [job] = await progressOf(own, { id: row.id });
    let at = (job?.progress as Position | null | undefined) ?? { deliveries: 0, under_way: 0, after: beginning };
    for (;;) {
      if (settling.endsAtEnable && (await findEndpoint(own, endpointId))?.enabled) return context.finish();
      const step = await settleBatch(transact, own, range, settling, at, row);
      if (!step) return context.finish();
      const { isLast, ...position } = step;
      at = position;
      if (isLast) break;
      if (!(await goOn())) return paused(context);
    }
    if (settling.repeats && at.under_way > 0)
      return fromTheBeginning(context, at, context.config.webhookTimeoutMs, 'requests are under way');
    if (lateMs) return fromTheBeginning(context, at, lateMs, 'events of the last minute may not be committed');
    return context.finish((tx) => close(tx, endpointId, row.id));
  });

/** SQL: as the progress of a step (pending/settle.ts). */
const fromTheBeginning = (context: RunContext, { deliveries }: Position, delayMs: number, reason: string): Promise<Outcome> =>
  context.wait(delayMs, {
    reason,
    async work({ own }) {
      await own.sql(
        `update jobs
            set progress = $3
          where organization_id = $1 and id = $2`,
        [context.row.id, JSON.stringify({ deliveries, under_way: 0, after: beginning })],
      );
    },
  });

async function close(tx: TenantTx, endpointId: string, jobId: string) {
  const endpoint = await lockedEndpoint(tx.own, endpointId);
  if (endpoint?.enabled) await letEndpointGo(tx, endpointId, jobId);
  if (!endpoint) await removeUnused(tx.own, endpointId);
}

export const cancelPending = settle(cancelPendingJob, cancelling);
export const drainPending = settle(drainPendingJob, draining);
export const resumePending = settle(resumePendingJob, resuming);
export const hastenPending = settle(hastenPendingJob, hastening);
