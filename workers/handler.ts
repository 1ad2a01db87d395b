import type { Storage } from '../src/media/storage/storage.ts';
import type { Config } from '../src/platform/config/config.ts';
import type { Database } from '../src/platform/database/database.ts';
import type { Own } from '../src/platform/database/own.ts';
import { claimRun } from '../src/platform/ledger/claim-run.ts';
import type { JobContract } from '../src/platform/ledger/job.ts';
import type { JobError } from '../src/platform/ledger/jobs.entity.ts';
import type { Ledger } from '../src/platform/ledger/ledger.ts';
import type { Part } from '../src/platform/ledger/part.ts';
import type { RunRow } from '../src/platform/ledger/run.ts';
import type { TenantTransact } from '../src/platform/ledger/tenant.ts';
import type { Look } from '../src/platform/ledger/transact.ts';
import type { RunRef, TenantTx } from '../src/platform/ledger/tx.ts';
import type { Log } from '../src/platform/log.ts';
import type { Secrets } from '../src/platform/secrets.ts';
import type { Providers } from '../src/providers/index.ts';
import type { HttpCaller } from '../src/webhooks/http-caller.ts';
import type { WebhookSender } from '../src/webhooks/sender.ts';
import type { ConnectionMetrics } from './connections/connection-metrics.ts';
import type { JobMetrics } from './job-metrics.ts';
import type { FileMetrics } from './messaging/file-metrics.ts';
import type { FlowMetrics } from './provider-webhooks/flow-metrics.ts';
import type { DeliveryMetrics } from './webhooks/delivery-metrics.ts';

export type WorkerDeps = {
  config: Config;
  database: Database;
  ledger: Ledger;
  providers: Providers;
  storage: Storage;
  secrets: Secrets;
  sender: WebhookSender;
  /** Calls of rules. */
  http: HttpCaller;
  jobMetrics: JobMetrics;
  deliveryMetrics: DeliveryMetrics;
  fileMetrics: FileMetrics;
  flowMetrics: FlowMetrics;
  connectionMetrics: ConnectionMetrics;
  log: Log;
  isStopping(): boolean;
};

export type Outcome =
  | { kind: 'done' }
  | { kind: 'again' | 'wait'; delayMs: number; isMoved: boolean; reason?: string }
  | { kind: 'failed'; error: JobError }
  | { kind: 'stale' };

type Work = (tx: TenantTx) => Promise<void>;

export type RunContext<Claimed = undefined> = WorkerDeps & {
  own: Own;
  /** Separate from the transaction that ends the attempt. */
  transact: TenantTransact;
  /** The same, repeated over outages of our own while the process lives: for what must not be lost, such as an answer. */
  lasting: TenantTransact;
  /** The same, but what takes too long at each attempt is a fault of our own, after many of which the job fails: for what can be done again. */
  repeating: TenantTransact;
  row: RunRow;
  claimed: Claimed;
  /** More fields for the log line of this attempt: no secrets, and nothing that a receiver or person wrote. */
  facts: Record<string, unknown>;
  /** While a provider or receiver answers, another run uses this one's place in the worker. */
  outside<Answer>(call: () => Promise<Answer>): Promise<Answer>;
  /** *done*, with the effect in the same transaction; a Part runs in the ledger's own statement. */
  finish(work?: Work | Part): Promise<Outcome>;
  /** *done*, in a write that looks first and takes more locks than the row's. */
  finishLooked<Seen>(look: Look<Seen>, work: (tx: TenantTx, seen: Seen) => Promise<void>): Promise<Outcome>;
  /** *done* whichever run the row is in now: for an answer that must not be lost. `work` ends the row itself. */
  settle<Seen>(look: Look<Seen>, work: (tx: TenantTx, seen: Seen) => Promise<void>): Promise<Outcome>;
  /** *again*: spends an attempt; the last one fails for good. */
  again(error: JobError, options?: { delayMs?: number; queue?: string; work?: Work }): Promise<Outcome>;
  /** *wait*: spends no attempt. `error`: in place of the row's. */
  wait(delayMs: number, options?: { reason?: string; work?: Work; error?: JobError }): Promise<Outcome>;
  /** *failed*: the contract updates the subject. */
  fail(error: JobError, options?: { work?: Work }): Promise<Outcome>;
};

/** `waitMs`: the wait for the pool's pace. Undefined: the row says why. */
export type Claimed<Subject> = { row: RunRow; claimed: Subject } | { waitMs: number } | undefined;

export type Handler<Payload extends Record<string, string> = Record<string, string>, Subject = undefined> = {
  contract: JobContract<Payload>;
  /** One statement claims what cannot be undone, keeps the pool's pace and checks that this run may start. */
  claim?(database: Database, ref: RunRef): Promise<Claimed<Subject>>;
  run(payload: Payload, context: RunContext<Subject | undefined>): Promise<Outcome>;
};

export const handle = <Payload extends Record<string, string>, Subject = undefined>(
  contract: JobContract<Payload>,
  run: Handler<Payload, Subject>['run'],
  claim?: Handler<Payload, Subject>['claim'],
): Handler<Payload, Subject> => ({ contract, run, ...(claim && { claim }) });

/** Each call takes a turn of its pace right before it is made: the run itself needs none. */
export const handleCalls = <Payload extends Record<string, string>>(
  contract: JobContract<Payload>,
  run: Handler<Payload>['run'],
): Handler<Payload> => handle(contract, run, contract.operation ? claimWithoutSubject : async () => undefined);

async function claimWithoutSubject(database: Database, ref: RunRef): Promise<Claimed<undefined>> {
  const claimed = await claimRun(database, ref);
  return claimed && { row: claimed.row, claimed: undefined };
}
