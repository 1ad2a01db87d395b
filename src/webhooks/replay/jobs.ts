import Joi from 'joi';
import { AppError } from '../../platform/errors.ts';
import { uuid } from '../../platform/ids.ts';
import { backoff, type JobContract, job } from '../../platform/ledger/job.ts';
import { sharedPool } from '../../platform/ledger/pools.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import type { ReplayKind } from './replay.entity.ts';

/** Shared by all organizations: replays are long and must leave workers to other jobs. */
export const replayPool = sharedPool('webhook-replays');
export const replayPoolWidth = 4;

/** SQL: by the database's clock, and from the state the row is in. */
const move = (to: 'open' | 'paused' | 'ended', from: string) => `
  update webhook_replays
     set state = '${to}',
         finished_at = ${to === 'ended' ? 'clock_timestamp()' : 'null'},
         updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and state in (${from})
  returning id`;
const end = move('ended', `'open', 'paused'`);
const pause = move('paused', `'open'`);
const goOn = move('open', `'paused'`);
const revive = move('open', `'ended'`);

type Payload = { replay_id: string };
const moved =
  (statement: string) =>
  async (tx: TenantTx, { replay_id }: Payload) => {
    await tx.own.sql(statement, [replay_id]);
  };

export const endReplay = moved(end);

const replayJob = (kind: ReplayKind): JobContract<Payload> =>
  job<Payload>({
    name: `webhooks.${kind}`,
    queue: 'default',
    payload: Joi.object({ replay_id: uuid }),
    subjectType: 'webhook_replay',
    subject: 'replay_id',
    delayMs: backoff(5),
    operation: true,
    failed: endReplay,
    async revived({ own }, { replay_id }) {
      const back = await own.sql(revive, [replay_id]);
      if (back.length === 0) throw new AppError('conflict', 'Its webhook endpoint was deleted');
    },
    calledOff: endReplay,
    paused: moved(pause),
    resumed: moved(goOn),
    openSubjects: `
    select organization_id, id
      from webhook_replays
     where state = 'open' and kind = '${kind}'`,
  });

export const recoverWebhooksJob = replayJob('recover');
export const replayWebhooksJob = replayJob('replay');
export const cancelWebhooksJob = replayJob('cancel');

export const replayJobs: Record<ReplayKind, JobContract<Payload>> = {
  recover: recoverWebhooksJob,
  replay: replayWebhooksJob,
  cancel: cancelWebhooksJob,
};
