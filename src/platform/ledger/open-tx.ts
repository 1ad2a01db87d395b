import type { BatchStatement } from '../database/batch.ts';
import type { Em } from '../database/database.ts';
import { OwnRows } from '../database/own.ts';
import { query } from '../database/query.ts';
import type { Cause } from '../events/cause.ts';
import { uuidv7 } from '../ids.ts';
import type { Dispatched } from './accept.ts';
import { isHeldBy, LocksOutdated, lockOf, subjectLock, takeLocks } from './locks.ts';
import type { Part } from './part.ts';
import type { Tallied, Tally } from './tally.ts';
import type { End, EnqueueOptions, OwnTx, Tx } from './tx.ts';
import type { Entries } from './write.ts';

type Kept = {
  held: Set<string>;
  /** The locks come from `look`: a missing lock means that it is outdated. */
  isLooked: boolean;
  isHeard: boolean;
  entries: Entries;
  dispatched: Dispatched;
  given: Map<string, unknown>;
  atEnd: (() => Promise<void> | void)[];
  tallied: Tallied[];
  cause: Cause | undefined;
};

class OwnTransaction extends OwnRows implements OwnTx {
  private readonly tx: Tx;

  constructor(tx: Tx, organizationId: string) {
    super(tx.em, organizationId);
    this.tx = tx;
  }

  get cause() {
    return this.tx.cause;
  }

  enqueue: OwnTx['enqueue'] = (contract, payload, options?: EnqueueOptions) =>
    this.tx.enqueue(contract, this.organizationId, payload, options);
  emit: OwnTx['emit'] = (event, data, options) => this.tx.emit(event, data, { ...options, organizationId: this.organizationId });
  lockNew(type: string, id: string) {
    return this.tx.lockNew(type, id);
  }
  isNew(type: string, id: string) {
    this.tx.isNew(type, id);
  }
  lockFound(type: string, id: string) {
    return this.tx.lockFound(type, id);
  }
  assertLocked(lock: string) {
    this.tx.assertLocked(lock);
  }
  atEnd(work: () => Promise<void> | void) {
    this.tx.atEnd(work);
  }
  end(end: End) {
    this.tx.end(end);
  }
  count<Value extends string>(tally: Tally<Value>, value: NoInfer<Value>) {
    this.tx.count(tally, value);
  }
  include(part: Part) {
    this.tx.include(part);
  }
  get isOneTrip() {
    return this.tx.isOneTrip;
  }
  first(statement: BatchStatement) {
    this.tx.first(statement);
  }
  given<Row>(name: string): Row | undefined {
    return this.tx.given(name);
  }
  dispatch(more: Partial<Dispatched>) {
    this.tx.dispatch(more);
  }
}

export function joined(dispatched: Dispatched, more: Partial<Dispatched>): Dispatched {
  dispatched.rows.push(...(more.rows ?? []));
  dispatched.pools.push(...(more.pools ?? []));
  dispatched.joined.push(...(more.joined ?? []));
  return dispatched;
}

export function openTx(
  given: Em | undefined,
  { held, isLooked, isHeard: isHeardAnyway, entries, dispatched, given: rows, atEnd, tallied, cause }: Kept,
): Tx {
  const opened = () => {
    if (!given) throw new Error('A transaction of one round trip runs no other statement');
    return given;
  };
  const mustHold = (lock: string) => {
    if (!held.has(lock) && isLooked) throw new LocksOutdated();
    if (!held.has(lock)) throw new Error(`The transaction needs the lock ${lock}: name it in locks`);
  };
  const take = async (lock: string) => {
    held.add(lock);
    await takeLocks(opened(), [lock]);
  };
  const tx: Tx = {
    em: given as Em,
    cause,
    of: (organizationId) => new OwnTransaction(tx, organizationId),
    query: (text, params) => query(opened(), text, params),
    enqueue(contract, organizationId, payload, { lane, pool, delayMs, class: kind, id = uuidv7() } = {}) {
      const isBulk = kind === 'bulk';
      if (isBulk && !contract.bulkQueue) throw new Error(`${contract.name} has no queue for bulk work`);
      if (lane) mustHold(lockOf(lane));
      entries.jobs.push({
        id,
        organization_id: organizationId,
        name: contract.name,
        queue: isBulk ? contract.bulkQueue! : contract.queue,
        payload,
        subject_type: contract.subjectType,
        subject_id: payload[contract.subject]!,
        lane: lane ?? null,
        pool: pool ?? null,
        class: isBulk ? 1 : 0,
        visible: contract.operation,
        delay_ms: delayMs ?? 0,
      });
      return id;
    },
    emit(event, data, { organizationId, test, isHeard = true, cause: own = cause }) {
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
        cause: own?.by ?? null,
        chain: own?.chain ?? null,
        endpoint_id: test?.endpointId ?? null,
        is_test: test !== undefined,
        delivery_job_id: test?.jobId ?? null,
        is_heard: isHeard || isHeardAnyway,
      });
      return id;
    },
    lockNew: (type, id) => take(subjectLock(type, id)),
    lockFound: (type, id) => take(subjectLock(type, id)),
    assertLocked(lock) {
      if (!isHeldBy(held, lockOf(lock))) throw new LocksOutdated();
    },
    isNew: (type, id) => void held.add(subjectLock(type, id)),
    end: (end) => void entries.ends.push(end),
    count: (tally, value) => void tallied.push({ tally, value }),
    include: (part) => void entries.parts.push(part),
    isOneTrip: given === undefined,
    first(statement) {
      if (given) throw new Error('Within a transaction a statement is run, not noted');
      entries.first.push(statement);
    },
    given: <Row>(name: string) => rows.get(name) as Row | undefined,
    dispatch: (more) => void joined(dispatched, more),
    atEnd(work) {
      // A transaction of one round trip would pass over it.
      opened();
      atEnd.push(work);
    },
  };
  return tx;
}
