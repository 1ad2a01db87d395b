import type { Database, Em } from '../database/database.ts';
import { databaseAway, isDatabaseAway, isTransient, violatedConstraint } from '../database/errors.ts';
import { query } from '../database/query.ts';
import { AppError } from '../errors.ts';
import { uuidv7 } from '../ids.ts';
import type { Handed } from './accept.ts';
import { createLockTurns, type LockTurns } from './lock-turns.ts';
import { lockOf, lockStatements, sorted, subjectLock, takeLocks } from './locks.ts';
import type { Tx } from './tx.ts';
import { type Entries, fitsOneStatement, writeLedger } from './write.ts';

export type TransactOptions = {
  /** Subjects and lanes whose order this transaction touches; a function names them anew at each try. */
  locks?: string[] | (() => Promise<string[]>);
  /** Unique constraints whose violation means: somebody was faster, look again. */
  retryOn?: string[];
  /** `work` only enqueues, emits, ends and includes: one statement is the whole transaction, without begin and commit. */
  isOneStatement?: boolean;
  /** Its statements may take longer than a request's usually do: it deletes or moves as many rows as there are. */
  isLong?: boolean;
  /** Runs last, after the ledger is written, in the transaction. */
  beforeCommit?: (em: Em) => Promise<void>;
};

export type Transact = <Result>(options: TransactOptions, work: (tx: Tx) => Promise<Result>) => Promise<Result>;

/** What the locks were named by has become another's meanwhile, as in a merge of contacts: named anew, and tried again. */
export class LocksOutdated extends AppError {
  constructor() {
    super('conflict', 'It was changed at the same time; try again', { retryAfterSeconds: 1 });
  }
}

/** What a transaction of a request may take: beginning anew after a conflict, and waiting for others of this process. */
export type TransactBounds = { patienceMs: number; lockMs: number };

const maxTries = 3;
const mostNamings = 20;

/**
 * The one way to write: rows, jobs and events commit together or not at all. Repeats serialization failures, deadlocks and the named
 * conflicts, and within bounds begins no repeat after `patienceMs`; throws 503 when the database is away. `after` gets what is to be handed
 * to the queue, once, after the commit.
 */
export function createTransact(
  database: Database,
  after: (handed: Handed) => Promise<void> | void,
  bounds?: TransactBounds,
): Transact {
  const patienceMs = bounds?.patienceMs ?? Number.POSITIVE_INFINITY;
  const turns = bounds && createLockTurns(bounds.lockMs);
  return async (options, work) => {
    const startedAt = performance.now();
    for (let attempt = 1; ; attempt += 1) {
      try {
        const isNamedAnew = typeof options.locks === 'function';
        const locks = typeof options.locks === 'function' ? await options.locks() : options.locks;
        const { result, handed } = await inTurn(turns, locks, () => once(database, { ...options, locks, isNamedAnew }, work));
        if (handed.rows.length > 0 || handed.pools.length > 0) await after(handed);
        return result;
      } catch (error) {
        const isLate = performance.now() - startedAt > patienceMs;
        if (error instanceof LocksOutdated && attempt < mostNamings && !isLate) continue;
        const again = isTransient(error) || options.retryOn?.includes(violatedConstraint(error) ?? '');
        if (again && attempt < maxTries && !isLate) continue;
        throw isDatabaseAway(error) ? databaseAway(error) : error;
      }
    }
  };
}

async function inTurn<Result>(turns: LockTurns | undefined, locks: string[] | undefined, work: () => Promise<Result>) {
  if (!turns || !locks?.length) return work();
  const giveBack = await turns.take(sorted(locks.map(lockOf)));
  try {
    return await work();
  } finally {
    giveBack();
  }
}

type Once = TransactOptions & { locks?: string[]; isNamedAnew: boolean };

async function once<Result>(database: Database, options: Once, work: (tx: Tx) => Promise<Result>) {
  const entries: Entries = { ends: [], jobs: [], events: [], parts: [] };
  const handed: Handed = { rows: [], pools: [] };
  const held = new Set((options.locks ?? []).map(lockOf));
  if (options.isOneStatement) {
    const result = await work(txOf(undefined, held, false, entries, handed));
    if (!fitsOneStatement(entries) || options.locks?.length || options.beforeCommit)
      throw new Error('The transaction is not one statement');
    return { result, handed: joined(handed, await writeLedger(database, entries)) };
  }
  const begin = options.isLong ? [...database.forLongWork, ...lockStatements(held)] : lockStatements(held);
  const result = await database.transaction(async (em) => {
    const value = await work(txOf(em, held, options.isNamedAnew, entries, handed));
    await em.flush();
    joined(handed, await writeLedger(em, entries));
    await options.beforeCommit?.(em);
    return value;
  }, begin);
  return { result, handed };
}

function joined(handed: Handed, { rows, pools }: Handed): Handed {
  handed.rows.push(...rows);
  handed.pools.push(...pools);
  return handed;
}

function txOf(given: Em | undefined, held: Set<string>, isNamedAnew: boolean, entries: Entries, handed: Handed): Tx {
  const opened = () => {
    if (!given) throw new Error('A transaction of one statement runs no other');
    return given;
  };
  const mustHold = (lock: string) => {
    if (!held.has(lock) && isNamedAnew) throw new LocksOutdated();
    if (!held.has(lock)) throw new Error(`The transaction needs the lock ${lock}: name it in locks`);
  };
  const take = async (lock: string) => {
    held.add(lock);
    await takeLocks(opened(), [lock]);
  };
  return {
    em: given as Em,
    query: (text, params) => query(opened(), text, params),
    enqueue(contract, organizationId, payload, { lane, pool, delayMs } = {}) {
      if (lane) mustHold(lockOf(lane));
      const id = uuidv7();
      entries.jobs.push({
        id,
        organization_id: organizationId,
        name: contract.name,
        queue: contract.queue,
        payload,
        subject_type: contract.subjectType,
        subject_id: payload[contract.subject]!,
        lane: lane ?? null,
        pool: pool ?? null,
        visible: contract.operation,
        delay_ms: delayMs ?? 0,
      });
      return id;
    },
    emit(event, data, { organizationId, test }) {
      const subjectId = String(data[event.subject.id]);
      mustHold(subjectLock(event.subject.type, subjectId));
      const id = uuidv7();
      entries.events.push({
        id,
        organization_id: organizationId,
        type: event.type,
        subject_type: event.subject.type,
        subject_id: subjectId,
        data,
        endpoint_id: test?.endpointId ?? null,
        is_test: test !== undefined,
        delivery_job_id: test?.jobId ?? null,
      });
      return id;
    },
    lockNew: (type, id) => take(subjectLock(type, id)),
    lockFound: (type, id) => take(subjectLock(type, id)),
    needs(lock) {
      if (!held.has(lockOf(lock))) throw new LocksOutdated();
    },
    isNew: (type, id) => void held.add(subjectLock(type, id)),
    end: (end) => void entries.ends.push(end),
    include: (part) => void entries.parts.push(part),
    hand: (more) => void joined(handed, more),
  };
}
