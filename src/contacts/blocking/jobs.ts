import Joi from 'joi';
import { AppError } from '../../platform/errors.ts';
import { uuid } from '../../platform/ids.ts';
import { backoff, type JobContract, job } from '../../platform/ledger/job.ts';

export type BlockPayload = { block_id: string; change_id: string };
export type BlockWish = 'block' | 'unblock';

/** SQL: the status follows from the row's own `blocked_at`; the earlier block still holds after a failed change. */
const failChange = `
  update contact_blocks
     set status = case when blocked_at is null then 'failed' else 'blocked' end,
         failure = $4,
         updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and change_id = $3
     and status in ('pending', 'unblocking')`;

/** SQL: changes by the state the row is in. */
const reviveChange = `
  update contact_blocks
     set status = $4, failure = null, updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and change_id = $3
     and failure is not null
  returning id`;

/** No `openSubjects`: a superseded change waits in the lane behind its successor, beside the successor's live row. */
const blockChange = (name: string, doing: 'pending' | 'unblocking'): JobContract<BlockPayload> =>
  job<BlockPayload>({
    name,
    queue: 'default',
    payload: Joi.object({ block_id: uuid, change_id: uuid }),
    subjectType: 'contact_block',
    subject: 'block_id',
    delayMs: backoff(6),
    operation: true,
    async failed({ own }, { block_id, change_id }, { code, message, provider_code = null }) {
      await own.sql(failChange, [block_id, change_id, JSON.stringify({ code, provider_code, message })]);
    },
    async revived({ own }, { block_id, change_id }) {
      const back = await own.sql(reviveChange, [block_id, change_id, doing]);
      if (back.length === 0) throw new AppError('conflict', 'Another change was asked for since, or the contact was deleted');
    },
  });

export const blockContactJob = blockChange('contacts.block', 'pending');
export const unblockContactJob = blockChange('contacts.unblock', 'unblocking');

export const blockLane = (blockId: string) => `contact-block:${blockId}`;

export const blockWishes = {
  block: { job: blockContactJob, doing: 'pending', done: 'blocked' },
  unblock: { job: unblockContactJob, doing: 'unblocking', done: 'unblocked' },
} as const;
