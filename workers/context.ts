import { setTimeout as sleep } from 'node:timers/promises';
import { isOurOutage, isTimedOut } from '../src/platform/database/errors.ts';
import { ownRows } from '../src/platform/database/own.ts';
import { operationFailed } from '../src/platform/events/catalogue.ts';
import type { JobContract } from '../src/platform/ledger/job.ts';
import { subjectLock } from '../src/platform/ledger/locks.ts';
import { putOff } from '../src/platform/ledger/put-off.ts';
import { endDone, endFailed, RunOver } from '../src/platform/ledger/release.ts';
import type { RunRow } from '../src/platform/ledger/run.ts';
import { transactFor } from '../src/platform/ledger/tenant.ts';
import type { Look, TransactOptions } from '../src/platform/ledger/transact.ts';
import type { TenantTx } from '../src/platform/ledger/tx.ts';
import { reasonOf } from '../src/platform/log.ts';
import type { Outcome, RunContext, WorkerDeps } from './handler.ts';
import { tellFault } from './own-faults.ts';
import type { Place } from './places.ts';

/**
 * So often a statement may take too long: a database that is busy lets one of them through. What takes too long at each attempt is a fault of our own, and is told
 * as one.
 */
const maxTimeOuts = 5;

/** `mayGiveUp`: such an exception ends the attempt, and counts; else an answer would be lost with it. */
type Repeated = { row: RunRow; mayGiveUp: boolean };

/** An answer that has arrived must not be lost: repeat the ending transaction while the process lives. */
async function overOutages<Result>(deps: WorkerDeps, { row, mayGiveUp }: Repeated, work: () => Promise<Result>): Promise<Result> {
  let timeOuts = 0;
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
    try {
      return await work();
    } catch (error) {
      if (!isOurOutage(error) || deps.isStopping()) throw error;
      if (isTimedOut(error)) timeOuts += 1;
      if (timeOuts >= maxTimeOuts) {
        if (mayGiveUp) throw error;
        tellFault(deps, row, error);
        timeOuts = 0;
      }
      deps.log.warn({ reason: reasonOf(error) }, 'the end of an attempt waits for the database');
      await sleep(pauseMs);
    }
  }
}

async function persistently(deps: WorkerDeps, repeated: Repeated, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await overOutages(deps, repeated, work);
  } catch (error) {
    if (error instanceof RunOver) return { kind: 'stale' };
    throw error;
  }
}

export function createContext<Claimed>(
  deps: WorkerDeps,
  contract: JobContract,
  row: RunRow,
  claimed: Claimed,
  place: Place,
): RunContext<Claimed> {
  const ref = { organization_id: row.organization_id, id: row.id, run: row.run };
  const operation = subjectLock('operation', row.id);
  const locks = [...(row.lane ? [row.lane] : []), ...(row.visible ? [operation] : [])];
  const transact = transactFor(deps.ledger.transact, row.organization_id);
  const ending = { row, mayGiveUp: false };
  const working = { ...ending, mayGiveUp: true };
  const inTransaction = (work: (tx: TenantTx) => Promise<Outcome>, options: TransactOptions = {}) =>
    persistently(deps, ending, () => transact({ locks, ...options }, work));
  const afterLook = <Seen>(repeated: Repeated, looked: Look<Seen>, work: (tx: TenantTx, seen: Seen) => Promise<void>) => {
    const write = () =>
      transact({ ...looked, locks: (seen) => [...locks, ...looked.locks(seen)] }, async (tx, seen): Promise<Outcome> => {
        await work(tx, seen);
        return { kind: 'done' };
      });
    return persistently(deps, repeated, write);
  };

  const context: RunContext<Claimed> = {
    ...deps,
    own: ownRows(deps.database, row.organization_id),
    transact,
    lasting: (options, work) => overOutages(deps, ending, () => transact(options, work)),
    repeating: (options, work) => overOutages(deps, working, () => transact(options, work)),
    row,
    claimed,
    facts: {},
    outside: place.outside,
    finish: (work) =>
      inTransaction(
        async (tx) => {
          if (typeof work === 'function') await work(tx);
          else if (work) tx.include(work);
          endDone(tx, row);
          return { kind: 'done' };
        },
        { isOneTrip: typeof work !== 'function' },
      ),
    finishLooked: (looked, work) =>
      afterLook(working, looked, async (tx, seen) => {
        await work(tx, seen);
        endDone(tx, row, { isAsserted: true });
      }),
    settle: (looked, work) => afterLook(ending, looked, work),
    again(error, { delayMs, queue, work } = {}) {
      const next = contract.delayMs(row.attempts + 1);
      if (next === undefined) return context.fail(error, { work });
      return inTransaction(async (tx) => {
        await work?.(tx);
        const put = await putOff(tx, ref, { delayMs: delayMs ?? next, spend: true, error, queue });
        if (!put) throw new RunOver();
        return { kind: 'again', delayMs: delayMs ?? next, isMoved: put.run !== row.run, reason: error.message };
      });
    },
    wait: (delayMs, { reason, work, error } = {}) =>
      inTransaction(async (tx) => {
        await work?.(tx);
        const put = await putOff(tx, ref, { delayMs, spend: false, error });
        if (!put) throw new RunOver();
        return { kind: 'wait', delayMs, isMoved: put.run !== row.run, reason };
      }),
    fail: (error, { work } = {}) =>
      inTransaction(async (tx) => {
        await work?.(tx);
        // A job with an invalid payload fails too, and needs its subject.
        await contract.failed(tx, { ...row.payload, [contract.subject]: row.subject_id }, error);
        if (row.visible)
          tx.own.emit(operationFailed, { operation_id: row.id, name: row.name, code: error.code, reason: error.message });
        endFailed(tx, row, error);
        return { kind: 'failed', error };
      }),
  };
  return context;
}
