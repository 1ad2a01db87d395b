import type { Em } from '../database/database.ts';
import type { OwnRecords } from '../database/own.ts';
import type { EventContract } from '../events/event.ts';
import type { Dispatched } from './accept.ts';

/** The run of a row that is being worked on. */
export type RunRef = { id: string; run: number };

export type EndKind = 'done' | 'failed' | 'subject-done' | 'subject-failed';

/** The end of a row, written with the transaction. */
export type End = {
  kind: EndKind;
  params: unknown[];
  /** The row's lane, when it may be that of a job or a delivery born in the same transaction. */
  lane?: string | null;
  /** Without a row to end the whole transaction is called off: someone else ended it. */
  isRequired: boolean;
};

/** Common table expressions of the ledger's statement, with parameters of their own from $1. One may read from `ended`, the row that ends. */
export type Part = { text: string; params: unknown[] };

/** What a transaction needs to know of a job to write it. */
export type Enqueued<Payload extends Record<string, string>> = {
  /** `domain.verb`, also the log field and the path of the handler. */
  name: string;
  queue: string;
  subjectType: string;
  /** Which field of the payload names the subject. */
  subject: keyof Payload & string;
  /** Shown at GET /v1/operations/{id} and kept 7 days after its end. */
  operation: boolean;
};

export type EnqueueOptions = { lane?: string; pool?: string; delayMs?: number };
/** `test`: for one endpoint alone, whatever it subscribes to, tried once, with the id its job (the operation) shall have. */
export type EmitOptions = { organizationId: string; test?: { endpointId: string; jobId: string } };

/** What a transaction does whatever organization it is about. */
type Common = {
  /** Takes the lock of a subject this transaction has just made: nobody else can hold it, so its late place in the order waits for no one. */
  lockNew(type: string, id: string): Promise<void>;
  /** A subject this transaction makes and nobody can know of before it commits: its events need no lock, and its order waits for no one. */
  isNew(type: string, id: string): void;
  /** Takes the lock of a subject this transaction has found. It holds no row yet, and of locks only a conversation's, or two might wait for each other. */
  lockFound(type: string, id: string): Promise<void>;
  /** Throws LocksOutdated unless the lock is held: what the locks were named by has changed before they were had. */
  assertLocked(lock: string): void;
  /** Runs before the records and the ledger are written, once the work is done: for what is gathered meanwhile. */
  atEnd(work: () => Promise<void> | void): void;
  /** Ends a row with the transaction; release.ts knows how. */
  end(end: End): void;
  /** Writes what no one needs the result of, in the ledger's own statement. */
  include(part: Part): void;
  /** Rows and pools to be looked after once the transaction has committed. */
  dispatch(dispatched: Dispatched): void;
};

/** A transaction within one organization: what it reads and writes cannot be another's. */
export type OwnTx = OwnRecords &
  Common & {
    /** Writes a job with the transaction; the id is the operation's id. */
    enqueue<Payload extends Record<string, string>>(
      contract: Enqueued<Payload>,
      payload: Payload,
      options?: EnqueueOptions,
    ): string;
    /** Writes an event, its deliveries and their jobs with the transaction. The subject's lock must be held. Returns the event's id. */
    emit<Data extends Record<string, unknown>>(
      event: EventContract<Data>,
      data: Data,
      options?: Omit<EmitOptions, 'organizationId'>,
    ): string;
  };

/** Any transaction: of accounts, which have no organization, and of the ledger itself. A rule about one organization takes OwnTx. */
export type Tx = Common & {
  em: Em;
  /** The same transaction, within one organization. */
  of(organizationId: string): OwnTx;
  query<Row = Record<string, unknown>>(text: string, params?: unknown[]): Promise<Row[]>;
  /** Writes a job with the transaction; the id is the operation's id. */
  enqueue<Payload extends Record<string, string>>(
    contract: Enqueued<Payload>,
    organizationId: string,
    payload: Payload,
    options?: EnqueueOptions,
  ): string;
  /** Writes an event, its deliveries and their jobs with the transaction. The subject's lock must be held. Returns the event's id. */
  emit<Data extends Record<string, unknown>>(event: EventContract<Data>, data: Data, options: EmitOptions): string;
};

/** The transaction of a request or a job, which is some organization's. */
export type TenantTx = Tx & { own: OwnTx };
