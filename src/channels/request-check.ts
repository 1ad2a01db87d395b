import { statement } from '../platform/database/statement.ts';
import { Job } from '../platform/ledger/jobs.entity.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { channelLock } from './change.ts';
import { checkChannelJob } from './jobs.ts';

const liveCheck = statement((select, { id }: { id: string }) =>
  select(Job)
    .select('id')
    .where('subject_id', '=', id)
    .where('name', '=', checkChannelJob.name)
    .where('state', 'in', ['blocked', 'waiting', 'queued']),
);

/** The operation's id: the one under way, however often it is asked for. Needs the channel's lock. */
export async function requestCheck(own: OwnTx, id: string): Promise<string> {
  own.assertLocked(channelLock(id));
  const [live] = await liveCheck(own, { id });
  return live?.id ?? own.enqueue(checkChannelJob, { channel_id: id });
}
