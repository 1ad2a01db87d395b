import { setTimeout as sleep } from 'node:timers/promises';
import { type Em, query } from '../src/database.ts';
import type { JobError } from '../src/ledger/jobs.entity.ts';
import { reserveSlot } from '../src/ledger/pools.ts';
import { putBack } from '../src/ledger/put-off.ts';
import { leadMs } from '../src/ledger/queues.ts';
import { retryJob } from '../src/ledger/retry.ts';
import { decide, type RunRow, readRun } from '../src/ledger/run.ts';
import { reasonOf } from '../src/log.ts';
import { ProviderBusy, ProviderError, ProviderRefused } from '../src/providers/errors.ts';
import { createContext } from './context.ts';
import type { Handler, Outcome, WorkerDeps } from './handler.ts';

/** One run as BullMQ hands it over. */
export type Run = { id: string; run: number; attemptsMade: number; stalledCounter: number };
export type Ended = Outcome | { kind: 'retried' } | { kind: 'early' | 'held' | 'full'; delayMs: number };

const mostStalls = 5;
/** A fault of our own is not the provider's answer and spends no try. */
const ownFaultMs = 5_000;

/** Brings a row's run to one of the four ends, or says why it has none. Never throws but for an outage of our own. */
export async function runJob(
  deps: WorkerDeps,
  handler: Handler<Record<string, string>, unknown>,
  run: Run,
): Promise<{ ended: Ended; row?: RunRow }> {
  const em = deps.database.em();
  // The claim decides in one statement what the slow path decides in several; a run that crashed often takes the slow one.
  const claim = run.stalledCounter < mostStalls ? await handler.claim?.(em, run) : undefined;
  if (claim) return { ended: await perform(deps, handler, em, claim.row, claim.claimed, run), row: claim.row };

  const row = await readRun(em, run.id);
  switch (decide(row, run.run, run.attemptsMade)) {
    case 'stale':
      return { ended: { kind: 'stale' }, row };
    case 'retry':
      await retryJob(deps.ledger.transact, run.id);
      return { ended: { kind: 'retried' }, row };
    case 'echo':
      return { ended: { kind: 'failed', error: row!.error ?? { code: 'internal', message: 'Failed' } }, row };
    case 'early':
      if (row!.early_ms > leadMs) return { ended: { kind: 'early', delayMs: row!.early_ms }, row };
      await sleep(row!.early_ms);
      return runJob(deps, handler, run);
    case 'held':
      await deps.ledger.transact({}, (tx) => putBack(tx, run, { keepPlace: true }));
      return { ended: { kind: 'held', delayMs: 0 }, row };
    case 'slot': {
      const delayMs = await reserveSlot(deps.database, row!.pool!, run);
      if (delayMs === undefined) {
        await deps.ledger.transact({}, (tx) => putBack(tx, run, { keepPlace: false }));
        return { ended: { kind: 'full', delayMs: 0 }, row };
      }
      if (delayMs > leadMs) return { ended: { kind: 'early', delayMs }, row };
      await sleep(delayMs);
    }
  }
  if (await hasCrashedTooOften(deps, handler, row!, run)) {
    const error: JobError = { code: 'crashed', message: `The worker died ${mostStalls} times over this job` };
    return { ended: await createContext(deps, handler.contract, em, row!, undefined, run.stalledCounter).fail(error), row };
  }
  const second = await handler.claim?.(em, run);
  return { ended: await perform(deps, handler, em, second?.row ?? row!, second?.claimed, run), row };
}

async function perform(
  deps: WorkerDeps,
  handler: Handler<Record<string, string>, unknown>,
  em: Em,
  row: RunRow,
  claimed: unknown,
  run: Run,
): Promise<Outcome> {
  const context = createContext(deps, handler.contract, em, row, claimed, run.stalledCounter);
  const { error: fault, value: payload } = handler.contract.payload.validate(row.payload);
  if (fault) return context.fail({ code: 'internal', message: `The payload is not valid: ${fault.message}` });
  if (row.visible)
    await query(em, 'update jobs set started_at = coalesce(started_at, clock_timestamp()) where id = $1', [row.id]);
  try {
    return await handler.run(payload, context);
  } catch (error) {
    if (error instanceof ProviderRefused)
      return context.fail({ code: 'provider_refused', message: error.message, provider_code: error.providerCode });
    if (error instanceof ProviderBusy) return context.wait(error.retryAfterMs, { reason: error.message });
    if (error instanceof ProviderError)
      return context.again({ code: 'provider_failed', message: error.message, provider_code: error.providerCode });
    deps.log.error({ err: error, job: row.name, job_id: row.id }, 'a fault of our own');
    deps.jobMetrics.fault(row.name);
    return context.wait(ownFaultMs, { reason: reasonOf(error) });
  }
}

async function hasCrashedTooOften(
  deps: WorkerDeps,
  handler: Handler<Record<string, string>, unknown>,
  row: RunRow,
  run: Run,
): Promise<boolean> {
  if (run.stalledCounter - row.stalls < mostStalls) return false;
  return !(await deps.ledger.transact({}, async (tx) => (await handler.contract.survivesCrashes?.(tx, row.payload)) ?? false));
}
