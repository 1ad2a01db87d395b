import { syncBookingCalendarJob } from '../../../src/commerce/calendar/jobs.ts';
import { assertWish, recordSteps, settleSynced, WishChanged } from '../../../src/commerce/calendar/record.ts';
import { setCalendarState } from '../../../src/commerce/calendar/settle.ts';
import { readsOfJob, type Wished, type WishedRow, wishedFrom, wishedOf } from '../../../src/commerce/calendar/wished.ts';
import type { AccountRow } from '../../../src/connections/account.ts';
import { connectionPool } from '../../../src/connections/use.ts';
import { cut } from '../../../src/platform/cut.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { claimRun } from '../../../src/platform/ledger/claim-run.ts';
import { LocksOutdated } from '../../../src/platform/ledger/locks.ts';
import { movePool } from '../../../src/platform/ledger/move-pool.ts';
import type { Look } from '../../../src/platform/ledger/transact.ts';
import type { OwnTx, RunRef, TenantTx } from '../../../src/platform/ledger/tx.ts';
import { ProviderBusy, ProviderError, ProviderRefused } from '../../../src/providers/errors.ts';
import { type Claimed, type Handler, handle, type Outcome, type RunContext } from '../../handler.ts';
import { type Put, putEvent } from './put-event.ts';
import { ConnectionAway, type ReadAccount, reach } from './reach.ts';
import { leaveEvent, removeEarlier } from './remove-event.ts';
import { syncMeeting } from './sync-meeting.ts';

/** Wishes that came while one was fulfilled; then other jobs have their turn. */
const maxRounds = 10;
/** Its next run finds the pool on hold, and has its turn when that ends. */
const awayMs = 1_000;
const longestError = 500;

type Context = RunContext<Seen | undefined>;

/** The wish was read before the calls: written in one round trip, which fails where it has changed. */
const unlessChanged: Look<undefined> = {
  look: async () => undefined,
  locks: () => [],
  isOneTrip: true,
  refusal: (error) => (error instanceof LocksOutdated ? new WishChanged() : undefined),
};

/** The calendar is brought to the last wish, whatever it shows. While another wish comes, it is not done. */
const sync: Handler<{ order_id: string }, Seen>['run'] = async ({ order_id: orderId }, context) => {
  for (let round = 0; round < maxRounds; round += 1) {
    const isClaimed = round === 0 && context.claimed !== undefined;
    const wished = isClaimed ? context.claimed!.wished : await wishedOf(context.own, orderId);
    if (!wished || wished.wanted === wished.synced) return context.finish();
    try {
      return await fulfil(context, orderId, wished);
    } catch (error) {
      if (!(error instanceof WishChanged)) throw error;
    }
  }
  return context.wait(0, { reason: 'the wish changes faster than it is fulfilled' });
};

/** Read with the claim. `wished`: undefined where the order has no booking; `account`: where no calendar is connected. */
type Seen = { wished: Wished | undefined; account: ReadAccount | undefined };

async function claim(database: Database, ref: RunRef): Promise<Claimed<Seen>> {
  const readAtMs = performance.now();
  const claimed = await claimRun(database, ref, readsOfJob(ref));
  if (!claimed) return undefined;
  const [[row], [account]] = claimed.read as [WishedRow[], AccountRow[]];
  const seen = { wished: row && wishedFrom(row), account: account && { row: account, readAtMs } };
  return { row: claimed.row, claimed: seen };
}

export const syncBookingCalendar = handle(syncBookingCalendarJob, sync, claim);

async function fulfil(context: Context, orderId: string, wished: Wished): Promise<Outcome> {
  const { put, ...brought } = await bring(context, wished);
  const record = async (own: OwnTx) => {
    if (put) await recordSteps(own, put.wished, put.values);
  };
  const [fault] = brought.faults.sort((one, other) => rankOf(one) - rankOf(other));
  if (fault !== undefined || put?.isConferencePending) await context.transact({}, ({ own }) => record(own));
  if (fault !== undefined) return endWith(context, orderId, wished, fault);
  if (put?.isConferencePending) {
    const waitMs = Math.min(Math.max(wished.waited_ms ?? 0, 2_000), 30_000);
    return context.wait(waitMs, { reason: 'the calendar makes the video room' });
  }
  try {
    return await context.finishLooked(unlessChanged, ({ own }) => settleSynced(own, put ?? { wished: brought.wished }));
  } catch (error) {
    // What the calendar shows by now is where the next round begins.
    if (error instanceof WishChanged) await context.transact({}, ({ own }) => record(own));
    throw error;
  }
}

type Brought = { wished: Wished; put: Put | undefined; faults: unknown[] };

/** A video service or an earlier calendar that cannot be reached keeps the entry from nobody: its fault is told at the end. */
async function bring(context: Context, given: Wished): Promise<Brought> {
  const faults: unknown[] = [];
  let wished = await syncMeeting(context, given).catch((error: unknown) => {
    faults.push(deferred(error));
    return given;
  });
  if (faults.length > 0) wished = { ...given, ...(await stepsOf(context, given)) };
  wished = await leaveEvent(context, wished);
  const removed = await removeEarlier(context, wished);
  faults.push(...removed.faults.map(deferred));
  wished = removed.wished;
  if (!wished.hasEvent) return { wished, put: undefined, faults };
  try {
    const call = await reach(context, wished.staff_connection!, context.claimed?.account);
    const put = call && (await putEvent({ context, call, wished }));
    if (put && put.wished.earlier.length > wished.earlier.length)
      faults.push(...(await removeEarlier(context, put.wished)).faults.map(deferred));
    return { wished, put, faults };
  } catch (error) {
    faults.push(deferred(error));
    return { wished, put: undefined, faults };
  }
}

/** Faults of our own, and a wish that changed, end the round at once. */
function deferred(error: unknown): unknown {
  if (error instanceof ProviderError || error instanceof ConnectionAway) return error;
  throw error;
}

/** What earlier steps of this round wrote, although they ended in a fault. */
async function stepsOf({ own, row }: Context, before: Wished): Promise<Partial<Wished>> {
  const now = await wishedOf(own, row.subject_id);
  if (!now || now.wanted !== before.wanted) throw new WishChanged();
  return now;
}

/** What passes by itself is waited for, before a refusal ends the job. */
function rankOf(fault: unknown): number {
  if (fault instanceof ProviderBusy) return 0;
  if (fault instanceof ConnectionAway) return 1;
  return fault instanceof ProviderRefused ? 3 : 2;
}

function endWith(context: Context, orderId: string, wished: Wished, fault: unknown): Promise<Outcome> {
  const { message } = fault as Error;
  const said = cut(message, longestError);
  const pending = async ({ own }: TenantTx) => {
    await assertWish(own, wished);
    await setCalendarState(own, orderId, { status: 'pending', error: said });
  };
  if (fault instanceof ConnectionAway) {
    const work = async (tx: TenantTx) => {
      await pending(tx);
      await movePool(tx.own, context.row.id, connectionPool(fault.connectionId));
    };
    return context.wait(awayMs, { reason: said, work });
  }
  if (fault instanceof ProviderBusy) return context.wait(fault.retryAfterMs, { reason: said, work: pending });
  const { providerCode: provider_code } = fault as ProviderError;
  if (fault instanceof ProviderRefused)
    return context.fail(
      { code: 'provider_refused', message: said, provider_code },
      { work: ({ own }) => assertWish(own, wished) },
    );
  return context.again({ code: 'provider_failed', message: said, provider_code }, { work: pending });
}
