import type { Own } from '../database/own.ts';
import { AppError, notFound } from '../errors.ts';
import { dispatchedColumns, dispatchedOf, firstCheck, type Inserted, type PoolRef } from './accept.ts';
import { contractOf } from './contracts.ts';
import type { JobContract } from './job.ts';
import { subjectLock } from './locks.ts';
import { findOperation } from './operations.ts';
import { endCalledOff } from './release.ts';
import { stateIs } from './states.ts';
import type { Look } from './transact.ts';
import type { TenantTx } from './tx.ts';

type Operation = NonNullable<Awaited<ReturnType<typeof findOperation>>>;

/** An end of the operation takes the same locks: its state stays until the commit. */
export const controlOf = (own: Own, id: string): Look<Operation> => ({
  async look() {
    const row = await findOperation(own, id);
    if (!row) throw notFound('Operation');
    return row;
  },
  locks: ({ lane }) => [...(lane ? [lane] : []), subjectLock('operation', id)],
});

const isLive = ({ state }: Operation) => state === 'blocked' || state === 'waiting' || state === 'queued';

async function operationIn(tx: TenantTx, id: string): Promise<{ row: Operation; contract: JobContract }> {
  const row = await findOperation(tx.own, id);
  if (!row) throw notFound('Operation');
  if (row.lane) tx.assertLocked(row.lane);
  const contract = contractOf(row.name);
  if (!contract) throw new AppError('conflict', `No job is called ${row.name} any more`);
  return { row, contract };
}

const ended = () => new AppError('conflict', 'The operation has ended');
const refused = (name: string, what: string) => new AppError('conflict', `An operation ${name} cannot be ${what}`);

/** What it has done so far stays done. A run at work finds that the row has another run, and writes nothing more. False: it was before. */
export async function callOff(tx: TenantTx, id: string, by: string): Promise<boolean> {
  const { row, contract } = await operationIn(tx, id);
  if (row.state === 'done' && row.error) return false;
  if (!contract.calledOff) throw refused(row.name, 'called off');
  if (!isLive(row) && row.state !== 'paused') throw ended();
  await contract.calledOff(tx, row.payload);
  endCalledOff(tx.own, { id, lane: row.lane }, { code: 'cancelled', message: `Called off by ${by}` });
  return true;
}

/** SQL: as the statements that put off and put back, whatever run the row is in. */
const pauseStatement = `
  update jobs
     set state = 'paused', run = run + 1, stalls = 0, slot_at = null
   where organization_id = $1 and id = $2 and ${stateIs('state', 'waiting', 'queued')}
  returning organization_id, pool as id`;

const resumeStatement = `
  update jobs
     set state = case when pool is null then 'queued' else 'waiting' end,
         run = run + 1,
         run_at = clock_timestamp(),
         check_at = clock_timestamp() + ${firstCheck}
   where organization_id = $1 and id = $2 and ${stateIs('state', 'paused')}
  returning ${dispatchedColumns}`;

/** False: it was paused before. */
export async function pauseOperation(tx: TenantTx, id: string): Promise<boolean> {
  const { row, contract } = await operationIn(tx, id);
  if (!contract.paused) throw refused(row.name, 'paused');
  if (row.state === 'paused') return false;
  if (!isLive(row)) throw ended();
  await contract.paused(tx, row.payload);
  const pools = await tx.own.sql<PoolRef>(pauseStatement, [id]);
  tx.dispatch({ pools: pools.filter((pool) => pool.id) });
  return true;
}

/** False: it was not paused. */
export async function resumeOperation(tx: TenantTx, id: string): Promise<boolean> {
  const { row, contract } = await operationIn(tx, id);
  if (!contract.resumed) throw refused(row.name, 'paused');
  if (isLive(row)) return false;
  if (row.state !== 'paused') throw ended();
  await contract.resumed(tx, row.payload);
  tx.dispatch(dispatchedOf(await tx.own.sql<Inserted>(resumeStatement, [id])));
  return true;
}
