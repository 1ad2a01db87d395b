import { isOutage, isTransient } from '../src/platform/database/errors.ts';
import { query } from '../src/platform/database/query.ts';
import { givenUp, nextFault } from '../src/platform/ledger/faults.ts';
import { boundedFaults } from '../src/platform/ledger/job.ts';
import type { JobError } from '../src/platform/ledger/jobs.entity.ts';
import { takeTurn } from '../src/platform/ledger/pace.ts';
import { poolOf, takeRoom } from '../src/platform/ledger/pools.ts';
import { putBack } from '../src/platform/ledger/put-off.ts';
import { retryJob } from '../src/platform/ledger/retry.ts';
import { decide, type RunRow, readRun } from '../src/platform/ledger/run.ts';
import { asTenant } from '../src/platform/ledger/tenant.ts';
import type { RunRef } from '../src/platform/ledger/tx.ts';
import { reasonOf } from '../src/platform/log.ts';
import { KeyMissing } from '../src/platform/secrets.ts';
import { ProviderBusy, ProviderError, ProviderRefused } from '../src/providers/errors.ts';
import { createContext } from './context.ts';
import type { Claimed, Handler, Outcome, RunContext, WorkerDeps } from './handler.ts';
import { tellFault } from './own-faults.ts';
import type { Place } from './places.ts';
import { maxStalls, suspectAfter } from './suspects.ts';

type AnyHandler = Handler<Record<string, string>, unknown>;

export type Run = RunRef & { attemptsMade: number; stalledCounter: number };
export type Ended = Outcome | { kind: 'retried' } | { kind: 'early' | 'held' | 'full'; delayMs: number };

/** An outage of our own is not the provider's answer and spends no attempt. */
const outageMs = 5_000;
const longFaultMs = 300_000;
/** A shorter wait happens here: a round trip through BullMQ takes 200 ms. */
const maxRestMs = 2_000;

type WorkingOn = { ended: Ended; row?: RunRow; facts?: Record<string, unknown> };

/** Throws only for an outage of our own: any other exception counts, wherever it is thrown. */
export async function runJob(deps: WorkerDeps, handler: AnyHandler, run: Run, place: Place): Promise<WorkingOn> {
  try {
    return await attempt(deps, handler, run, place);
  } catch (error) {
    if (isUncounted(error)) throw error;
    const row = await readRun(deps.database, run);
    if (!row || row.run !== run.run || row.state !== 'queued') throw error;
    tellFault(deps, row, error);
    return { ended: await afterFault(deps, createContext(deps, handler.contract, row, undefined, place), error), row };
  }
}

async function attempt(deps: WorkerDeps, handler: AnyHandler, run: Run, place: Place): Promise<WorkingOn> {
  const { contract } = handler;
  const work = async (row: RunRow, claimed: unknown): Promise<WorkingOn> => {
    if (run.stalledCounter >= suspectAfter) await countStall(deps, row);
    const context = createContext(deps, contract, row, claimed, place);
    return { ended: await perform(deps, handler, context), row, facts: context.facts };
  };
  const early = (delayMs: number, row?: RunRow): WorkingOn => ({ ended: { kind: 'early', delayMs }, row });

  for (;;) {
    // The claim replaces several queries; a suspect takes the slow path.
    const claim = run.stalledCounter < suspectAfter ? await claimOf(deps, handler, run) : undefined;
    if (claim && 'waitMs' in claim) {
      if (claim.waitMs > maxRestMs) return early(claim.waitMs);
      await place.rest(claim.waitMs);
      continue;
    }
    if (claim) return work(claim.row, claim.claimed);

    const row = await readRun(deps.database, run);
    switch (decide(row, run.run, run.attemptsMade)) {
      case 'stale':
        return { ended: { kind: 'stale' }, row };
      case 'retry':
        await retryJob(deps.ledger.transact, run.id, run.organization_id);
        return { ended: { kind: 'retried' }, row };
      case 'echo':
        return { ended: { kind: 'failed', error: row!.error ?? { code: 'internal', message: 'Failed' } }, row };
      case 'early':
        if (row!.early_ms > maxRestMs) return early(row!.early_ms, row);
        await place.rest(row!.early_ms);
        continue;
      case 'held':
        await deps.ledger.transact({}, (tx) => putBack(tx, run, { keepPlace: true }));
        return { ended: { kind: 'held', delayMs: 0 }, row };
      case 'room':
        if (contract.freesRoomAtClaim) break;
        if (await takeRoom(deps.database, row!.pool!, run)) continue;
        await deps.ledger.transact({}, (tx) => putBack(tx, run, { keepPlace: false }));
        return { ended: { kind: 'full', delayMs: 0 }, row };
    }
    if (await hasCrashedTooOften(deps, handler, row!)) {
      const error: JobError = { code: 'crashed', message: `The worker died ${maxStalls} times over this job` };
      const context = createContext(deps, contract, row!, undefined, place);
      return { ended: await context.fail(error), row };
    }
    const waitMs = !handler.claim && row!.is_paced ? await takeTurn(deps.database, run) : undefined;
    const second = waitMs === undefined ? await claimOf(deps, handler, run) : { waitMs };
    if (second && 'waitMs' in second) {
      if (second.waitMs > maxRestMs) return early(second.waitMs, row);
      await place.rest(second.waitMs);
      continue;
    }
    return work(second?.row ?? row!, second?.claimed);
  }
}

async function claimOf(deps: WorkerDeps, { contract, claim }: AnyHandler, run: Run): Promise<Claimed<unknown>> {
  const claimed = await claim?.(deps.database, run);
  if (!claimed) return undefined;
  if ('waitMs' in claimed) deps.jobMetrics.paced(contract.name);
  // The claim freed room: start the next of the pool before the provider answers.
  else if (contract.freesRoomAtClaim && claimed.row.is_paced && claimed.row.has_waiting)
    void deps.ledger.fill(poolOf(claimed.row.organization_id, claimed.row.pool!));
  return claimed;
}

async function perform(deps: WorkerDeps, handler: AnyHandler, context: RunContext<unknown>): Promise<Outcome> {
  const { row } = context;
  const { error: fault, value: payload } = handler.contract.payload.validate(row.payload);
  if (fault) return context.fail({ code: 'internal', message: `The payload is not valid: ${fault.message}` });
  // SQL: a time that is set once.
  if (row.visible && !row.is_started)
    await query(
      deps.database,
      `update jobs
          set started_at = coalesce(started_at, clock_timestamp())
        where organization_id = $1
          and id = $2`,
      [row.organization_id, row.id],
    );
  try {
    return await handler.run(payload, context);
  } catch (error) {
    if (error instanceof ProviderRefused)
      return context.fail({ code: 'provider_refused', message: error.message, provider_code: error.providerCode });
    if (error instanceof ProviderBusy) return context.wait(error.retryAfterMs, { reason: error.message });
    if (error instanceof ProviderError)
      return context.again({ code: 'provider_failed', message: error.message, provider_code: error.providerCode });
    tellFault(deps, row, error);
    return afterFault(deps, context, error);
  }
}

/** The database, the queue or the storage is unavailable or busy, or this process lacks a key: the job itself may be fine. */
const isUncounted = (error: unknown) => isOutage(error) || isTransient(error) || error instanceof KeyMissing;

/** It waits longer after each exception of our own in a row, and after the last one the job fails. */
async function afterFault(deps: WorkerDeps, context: RunContext<unknown>, error: unknown): Promise<Outcome> {
  const { row } = context;
  // A process that stops closes what its jobs use.
  const isOutside = deps.isStopping() || isUncounted(error);
  const fault = nextFault(row.error, isOutside);
  const delayMs = isOutside ? outageMs : boundedFaults(fault.ours);
  if (delayMs === undefined) {
    try {
      return await context.fail(givenUp(fault.ours));
    } catch (another) {
      // It cannot even be given up: an operator sees that it has met a fault at each run.
      tellFault(deps, row, another);
    }
  }
  return context.wait(delayMs ?? longFaultMs, { reason: reasonOf(error), error: fault });
}

/**
 * BullMQ also counts the deaths at which a run was only taken: in line for its place, or put off. Those of a suspect count here, where it begins.
 * SQL: an expression.
 */
async function countStall({ database }: WorkerDeps, { organization_id, id, run }: RunRow) {
  await query(
    database,
    `update jobs
        set stalls = stalls + 1
      where organization_id = $1
        and id = $2
        and run = $3`,
    [organization_id, id, run],
  );
}

async function hasCrashedTooOften(deps: WorkerDeps, handler: AnyHandler, row: RunRow): Promise<boolean> {
  if (row.stalls < maxStalls) return false;
  const survives = await deps.ledger.transact({}, async (tx) =>
    handler.contract.survivesCrashes?.(asTenant(tx, row.organization_id), row.payload),
  );
  return !survives;
}
