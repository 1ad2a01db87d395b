import type { BatchStatement } from '../database/batch.ts';
import type { Em } from '../database/database.ts';
import type { OwnRecords } from '../database/own.ts';
import type { Cause } from '../events/cause.ts';
import type { EventContract } from '../events/event.ts';
import type { Dispatched } from './accept.ts';
import type { Part } from './part.ts';
import type { QueueName } from './queue-names.ts';
import type { Tally } from './tally.ts';

export type RunRef = { organization_id: string; id: string; run: number };

/** `kept` and `gone` are what `done` means for an operation and for any other job, where that is known. */
export type EndKind = 'done' | 'kept' | 'gone' | 'failed' | 'subject-done' | 'called-off';

export type End = {
  kind: EndKind;
  params: unknown[];
  /** The row's lane, when the same transaction may write a job or a delivery into it. */
  lane?: string | null;
  /** Without a row to end, someone else ended it: the transaction rolls back. */
  isRequired: boolean;
  /** The statement itself asserts the row: in one round trip too, parts that do not read from `ended` are undone. */
  isAsserted?: boolean;
};

/** What work returns that can be known only once the ledger is written. */
export class Afterwards<Result> {
  readonly read: () => Result;
  constructor(read: () => Result) {
    this.read = read;
  }
}

export type Enqueued<Payload extends Record<string, string>> = {
  name: string;
  queue: string;
  /** Where it runs as bulk work; without one it cannot be. */
  bulkQueue?: QueueName;
  subjectType: string;
  subject: keyof Payload & string;
  /** Shown at GET /v1/operations/{id}, until 7 days after its end. */
  operation: boolean;
};

/**
 * `class`: work in bulk lets all conversation of its pool go first, and has a queue of its own. `id`: of the job, where its subject was written with it.
 */
export type EnqueueOptions = { lane?: string; pool?: string; delayMs?: number; class?: 'conversation' | 'bulk'; id?: string };
/** `test`: for one endpoint only, whatever it subscribes to, in one attempt; `jobId` becomes the operation's id. */
export type EmitOptions = {
  organizationId: string;
  test?: { endpointId: string; jobId: string };
  /** False: the look of this write found nobody who listens (`isHeard` in events/record.ts). */
  isHeard?: boolean;
  /** Of what happens later to something that the cause made, such as a message. By default the transaction's. */
  cause?: Cause | undefined;
};

type Common = {
  /** Who writes: of its events, and of what is made in it. */
  readonly cause: Cause | undefined;
  /** For a subject this transaction made: nobody else holds the lock, so taking it late is safe. */
  lockNew(type: string, id: string): Promise<void>;
  /** For a subject nobody can know of before the commit: its events need no lock. */
  isNew(type: string, id: string): void;
  /** It may hold locks that stand before this one in the order of locks.ts. No other lock and no row: two might wait for each other. */
  lockFound(type: string, id: string): Promise<void>;
  /** Throws LocksOutdated unless the lock is held. */
  assertLocked(lock: string): void;
  /** Runs once the work is done, before the records and the ledger are written. */
  atEnd(work: () => Promise<void> | void): void;
  end(end: End): void;
  /** Once, after the commit. */
  count<Value extends string>(tally: Tally<Value>, value: NoInfer<Value>): void;
  include(part: Part): void;
  /** The whole transaction is one round trip: nothing can be asked. */
  readonly isOneTrip: boolean;
  /** Of one round trip alone: a statement of its own, behind the locks and before the ledger's, in the order of the calls. Its rows are not read. */
  first(statement: BatchStatement): void;
  /** The row of an included part, once the ledger is written (Afterwards). */
  given<Row>(name: string): Row | undefined;
  dispatch(dispatched: Partial<Dispatched>): void;
};

export type OwnTx = OwnRecords &
  Common & {
    /** The id is the operation's id. */
    enqueue<Payload extends Record<string, string>>(
      contract: Enqueued<Payload>,
      payload: Payload,
      options?: EnqueueOptions,
    ): string;
    /** Also writes the deliveries and their jobs. The subject's lock must be held. Returns the event's id. */
    emit<Data extends Record<string, unknown>>(
      event: EventContract<Data>,
      data: Data,
      options?: Omit<EmitOptions, 'organizationId'>,
    ): string;
  };

/** For accounts, which have no organization, and for the ledger. A rule about one organization takes OwnTx. */
export type Tx = Common & {
  em: Em;
  of(organizationId: string): OwnTx;
  query<Row = Record<string, unknown>>(text: string, params?: unknown[]): Promise<Row[]>;
  enqueue<Payload extends Record<string, string>>(
    contract: Enqueued<Payload>,
    organizationId: string,
    payload: Payload,
    options?: EnqueueOptions,
  ): string;
  emit<Data extends Record<string, unknown>>(event: EventContract<Data>, data: Data, options: EmitOptions): string;
};

export type TenantTx = Tx & { own: OwnTx };
