import type { InferEntity } from '@mikro-orm/core';
import { type BatchStatement, runBatch } from '../../platform/database/batch.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Change, Own } from '../../platform/database/own.ts';
import { AppError } from '../../platform/errors.ts';
import type { PartText } from '../../platform/ledger/part.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { tellBooking } from '../bookings/tell.ts';
import { orderLock } from '../orders/order-row.ts';
import { calendarSyncs, countedAs } from '../tallies.ts';
import { BookingCalendar } from './booking-calendar.entity.ts';
import { settledStatus, type Wished } from './wished.ts';

export type CalendarValues = Change<InferEntity<typeof BookingCalendar>>;

/** Somebody wished anew, or another run of the job changed the row: it is read again. */
export class WishChanged extends AppError {
  constructor() {
    super('conflict', 'The booking was changed while its calendar was brought up to date');
  }
}

/** Where the wish is still the one that was read; else throws WishChanged. */
export async function assertWish(tx: OwnTx, { booking_id, wanted }: Wished): Promise<void> {
  const row = await tx.findOne(BookingCalendar, { booking_id });
  if (!row || row.wanted !== wanted) throw new WishChanged();
}

/** Before and after each call, so that a run that dies is taken up where it was. Another run's entry is not overwritten. */
export async function recordSteps(tx: OwnTx, { booking_id, generation }: Wished, values: CalendarValues): Promise<void> {
  const changed = await tx.update(BookingCalendar, { booking_id, generation }, values);
  if (changed === 0) throw new WishChanged();
}

/** SQL: with the turn of the call it is one batch, of texts, in one round trip (bench: booking-sync). */
const claimStatement = `
  update booking_calendars
     set connection_id = $4, calendar_id = $5, event_id = $6, etag = null, updated_at = clock_timestamp()
   where organization_id = $1 and booking_id = $2 and generation = $3
  returning booking_id`;

/**
 * Before its first call: whatever becomes of it, the entry is looked for here. Returns the rows of `turn`, whose transaction it is. Throws
 * WishChanged.
 */
export async function claimEntry(
  { database, own }: { database: Database; own: Pick<Own, 'organizationId'> },
  { booking_id, generation, connection_id, calendar_id, event_id }: Wished,
  turn: BatchStatement,
): Promise<unknown[]> {
  const params = [own.organizationId, booking_id, generation, connection_id, calendar_id, event_id];
  const [claimed, turns] = await runBatch(database.pool, [{ text: claimStatement, params }, turn]);
  if (claimed!.length === 0) throw new WishChanged();
  return turns!;
}

/** What the last call left, which is written with the end. */
export type LastStep = { etag: string; event_url: string; meet_url: string };
type Settled = { wished: Wished; values?: LastStep; notes?: string[] };

/**
 * SQL: a part of the ledger's statement, which ends the job: one round trip (bench: booking-sync). Where the wish, the entry and what is told
 * of the booking are still what was read, the calendar is as wished, and nobody needs to look after it any more. `attention` alone tells nobody:
 * the order gets a revision.
 */
const settledPart: PartText = (
  organization,
  booking,
  generation,
  wanted,
  before,
  bookingStatus,
  status,
  error,
  etag,
  url,
  meet,
) => `
  settled as (
    update booking_calendars c
       set status = ${status}::text,
           error = ${error}::text,
           etag = coalesce(${etag}::text, c.etag),
           event_url = coalesce(${url}::text, c.event_url),
           meet_url = coalesce(${meet}::text, c.meet_url),
           synced = c.wanted,
           conference_asked_at = null,
           pending_since = null,
           last_synced_at = case when ${status}::text = 'synced' then clock_timestamp() else c.last_synced_at end,
           updated_at = clock_timestamp()
      from bookings b
     where c.organization_id = ${organization}::uuid and c.booking_id = ${booking}::uuid
       and c.generation = ${generation}::int and c.wanted = ${wanted}::bigint and c.status = ${before}::text
       and b.organization_id = c.organization_id and b.id = c.booking_id and b.status = ${bookingStatus}::text
    returning b.order_id),
  relieved as (
    update orders o
       set attention = array_remove(o.attention, 'calendar_failed'),
           revision = o.revision + 1,
           updated_at = clock_timestamp()
      from settled
     where o.organization_id = ${organization}::uuid and o.id = settled.order_id and 'calendar_failed' = any(o.attention))`;

const isSettled: PartText = () => 'exists (select 1 from settled)';

/** The calendar is as wished, with the `values` of the last step. Needs the order's lock. Throws LocksOutdated at commit when the wish changed. */
export async function settleSynced(tx: OwnTx, { wished, values, notes = [] }: Settled): Promise<void> {
  const { booking_id, order_id, staff_id, starts_at, booking_status, generation, wanted, status: before, is_heard } = wished;
  tx.assertLocked(orderLock(order_id));
  const status = settledStatus(wished);
  const step = [values?.etag ?? null, values?.event_url ?? null, values?.meet_url ?? null];
  const seen = [tx.organizationId, booking_id, generation, wanted, before, booking_status];
  tx.include({
    text: settledPart,
    params: [...seen, status, notes.join('; '), ...step],
    assertion: isSettled,
  });
  const booking = { id: booking_id, order_id, status: booking_status, starts_at, staff_id };
  if (status !== before) await tellBooking(tx, booking, ['calendar_sync_status'], { status, isHeard: is_heard });
  const outcome = countedAs(calendarSyncs, status);
  if (outcome) tx.count(calendarSyncs, outcome);
}
