import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import type { Job } from '../../platform/ledger/jobs.entity.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import type { Look } from '../../platform/ledger/transact.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { isDraining } from '../draining.ts';
import { findEndpoint } from '../endpoints.ts';
import { findDelivery, type Held, holdDeliveries, lanesOf } from './held.ts';
import { tryAgain, tryNow } from './tries.ts';

/** Why a try that was asked for is not made at once. */
export const replayWaits = ['endpoint', 'order', 'attempt'] as const;
export type Replayed = Held & { waitsFor: (typeof replayWaits)[number] | null };

/** The look and the locks of a replay. Throws 404. */
export const replayOf = (own: Own, id: string): Look<Held> => ({
  async look() {
    const found = await findDelivery(own, id);
    if (!found) throw notFound('Webhook delivery');
    return found;
  },
  locks: (found) => lanesOf([found]),
});

type LiveJob = RowOf<typeof Job, 'state' | 'slot_at'> & { is_draining: boolean };

/** SQL: an expression that the lists of deliveries have, too. */
const liveJobStatement = `
  select j.state, j.slot_at, ${isDraining('$1', '$2')} as is_draining
    from jobs j
   where j.organization_id = $1 and j.subject_id = $2 and j.name = 'webhooks.deliver'
     and ${stateIs('j.state', 'blocked', 'waiting', 'queued')}`;

/** One more try of a delivery, whatever became of it; one that waits for a later time is made now. The event's id stays. */
export async function replayDelivery(tx: OwnTx, id: string): Promise<Replayed> {
  const [delivery] = await holdDeliveries(tx, [id]);
  if (!delivery) throw notFound('Webhook delivery');
  const endpoint = await findEndpoint(tx, delivery.endpoint_id);
  if (!endpoint) throw new AppError('conflict', 'The webhook endpoint was deleted');
  const how = { trigger: 'replay', isBulk: false } as const;
  const isNow = delivery.state === 'pending' && (await tryNow(tx, [id], how)) > 0;
  // Does nothing where there is a live job.
  if (!isNow) await tryAgain(tx, [delivery], how);
  const [job] = await tx.sql<LiveJob>(liveJobStatement, [id]);
  return { ...delivery, state: 'pending', waitsFor: waitOf(endpoint.enabled, job!) };
}

function waitOf(isEnabled: boolean, { state, slot_at: slotAt, is_draining: isDraining }: LiveJob): Replayed['waitsFor'] {
  if (!isEnabled && !isDraining) return 'endpoint';
  if (state === 'blocked') return 'order';
  return state === 'queued' && slotAt ? 'attempt' : null;
}
