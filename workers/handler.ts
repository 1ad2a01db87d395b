import type { Config } from '../src/platform/config/config.ts';
import type { Database, Em } from '../src/platform/database/database.ts';
import type { Own } from '../src/platform/database/own.ts';
import type { JobContract } from '../src/platform/ledger/job.ts';
import type { JobError } from '../src/platform/ledger/jobs.entity.ts';
import type { Ledger } from '../src/platform/ledger/ledger.ts';
import type { RunRow } from '../src/platform/ledger/run.ts';
import type { TenantTransact } from '../src/platform/ledger/tenant.ts';
import type { Part, RunRef, TenantTx } from '../src/platform/ledger/tx.ts';
import type { Log } from '../src/platform/log.ts';
import type { Secrets } from '../src/platform/secrets.ts';
import type { Providers } from '../src/providers/index.ts';
import type { WebhookSender } from '../src/webhooks/sender.ts';
import type { JobMetrics } from './job-metrics.ts';

export type WorkerDeps = {
  config: Config;
  database: Database;
  ledger: Ledger;
  providers: Providers;
  secrets: Secrets;
  sender: WebhookSender;
  jobMetrics: JobMetrics;
  log: Log;
  isStopping(): boolean;
};

/** The four ends of an attempt, each one transaction of the context's methods. */
export type Outcome =
  | { kind: 'done' }
  | { kind: 'again' | 'wait'; delayMs: number; isMoved: boolean; reason?: string }
  | { kind: 'failed'; error: JobError }
  | { kind: 'stale' };

type Work = (tx: TenantTx) => Promise<void>;

export type RunContext<Claimed = undefined> = WorkerDeps & {
  em: Em;
  /** The rows of the organization whose job it is. */
  own: Own;
  /** A transaction of that organization, beside the one that ends the try. */
  transact: TenantTransact;
  row: RunRow;
  claimed: Claimed;
  /** For a call to a provider or receiver: while it waits for the answer, the run gives its place in the worker to another. */
  outside<Answer>(call: () => Promise<Answer>): Promise<Answer>;
  /** *done*: the effect and its events with the end of the row; an effect that is one part goes into the statement that ends it. */
  finish(work?: Work | Part): Promise<Outcome>;
  /** *done* whichever run the row is in now: for an answer that must not be lost. `work` ends the row itself. */
  settle(work: Work): Promise<Outcome>;
  /** *again*: a try was spent; fails for good when it was the last. */
  again(error: JobError, options?: { delayMs?: number; queue?: string; work?: Work }): Promise<Outcome>;
  /** *wait*: no try is spent. */
  wait(delayMs: number, options?: { reason?: string; work?: Work }): Promise<Outcome>;
  /** *failed*: written back to the subject by the contract. */
  fail(error: JobError, options?: { work?: Work }): Promise<Outcome>;
};

/** What a claim returns: the row and all that its run needs; or how long the pool's pace makes it wait; undefined: the row says why. */
export type Claimed<Subject> = { row: RunRow; claimed: Subject } | { waitMs: number } | undefined;

export type Handler<Payload extends Record<string, string> = Record<string, string>, Subject = undefined> = {
  contract: JobContract<Payload>;
  /** One statement that claims what cannot be undone, keeps the pool's pace and tells whether this run may do it now. */
  claim?(em: Em, ref: RunRef): Promise<Claimed<Subject>>;
  run(payload: Payload, context: RunContext<Subject | undefined>): Promise<Outcome>;
};

export const handle = <Payload extends Record<string, string>, Subject = undefined>(
  contract: JobContract<Payload>,
  run: Handler<Payload, Subject>['run'],
  claim?: Handler<Payload, Subject>['claim'],
): Handler<Payload, Subject> => ({ contract, run, ...(claim && { claim }) });
