import { statement } from '../platform/database/statement.ts';
import { Job } from '../platform/ledger/jobs.entity.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { connectionLock, connectionToChange } from './change.ts';
import { checkConnectionJob } from './jobs.ts';

const liveCheck = statement((select, { id }: { id: string }) =>
  select(Job)
    .select('id')
    .where('subject_id', '=', id)
    .where('name', '=', checkConnectionJob.name)
    .where('state', 'in', ['blocked', 'waiting', 'queued']),
);

/** The operation's id: the one under way, however often it is asked for. Needs the connection's lock. Throws 404. */
export async function requestCheck(own: OwnTx, id: string): Promise<string> {
  own.assertLocked(connectionLock(id));
  await connectionToChange(own, id);
  const [live] = await liveCheck(own, { id });
  // In no pool: a check is how a held one may be let go.
  return live?.id ?? own.enqueue(checkConnectionJob, { connection_id: id });
}
