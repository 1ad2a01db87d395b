import Joi from 'joi';
import { AppError } from '../platform/errors.ts';
import { uuid } from '../platform/ids.ts';
import { backoff, type JobContract, job } from '../platform/ledger/job.ts';

export type BlockPayload = { block_id: string; change_id: string };

/**
 * What both changes of a block agree on. No `openSubjects`: a change that was overtaken by another one waits behind it in the lane, beside
 * the live row of the later one.
 */
const blockChange = (name: string, doing: 'pending' | 'unblocking'): JobContract<BlockPayload> =>
  job<BlockPayload>({
    name,
    queue: 'default',
    payload: Joi.object({ block_id: uuid, change_id: uuid }),
    subjectType: 'contact_block',
    subject: 'block_id',
    delayMs: backoff(6),
    operation: true,
    // Who was blocked before the change that failed still is.
    async failed(tx, { block_id, change_id }, { code, message, provider_code = null }) {
      await tx.query(
        `update contact_blocks set status = case when blocked_at is null then 'failed' else 'blocked' end, failure = $3, updated_at = clock_timestamp()
          where id = $1 and change_id = $2 and status in ('pending', 'unblocking')`,
        [block_id, change_id, JSON.stringify({ code, provider_code, message })],
      );
    },
    async revived(tx, { block_id, change_id }) {
      const back = await tx.query(
        `update contact_blocks set status = $3, failure = null, updated_at = clock_timestamp() where id = $1 and change_id = $2 and failure is not null returning id`,
        [block_id, change_id, doing],
      );
      if (back.length === 0) throw new AppError('conflict', 'Something else was asked for since, or the contact is gone');
    },
  });

export const blockContactJob = blockChange('contacts.block', 'pending');
export const unblockContactJob = blockChange('contacts.unblock', 'unblocking');

export type BlockWish = 'block' | 'unblock';

/** By which job a wish is carried out, and what a block is called while it is under way and when it is fulfilled. */
export const blockWishes = {
  block: { job: blockContactJob, doing: 'pending', done: 'blocked' },
  unblock: { job: unblockContactJob, doing: 'unblocking', done: 'unblocked' },
} as const;

/** What a forgotten person left in records that do not point to him: too much for the request that forgets him. */
export const eraseContactJob = job<{ erasure_id: string }>({
  name: 'contacts.erase',
  queue: 'default',
  payload: Joi.object({ erasure_id: uuid }),
  subjectType: 'contact_erasure',
  subject: 'erasure_id',
  delayMs: backoff(8),
  operation: false,
  failed: async () => {},
  revived: async () => {},
  openSubjects: `select e.id from contact_erasures e where not exists (select 1 from jobs f where f.subject_id = e.id and f.state = 'failed')`,
});
