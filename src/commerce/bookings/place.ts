import { now } from '../../platform/database/columns.ts';
import { sqlStateOf } from '../../platform/database/errors.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { lookAgain } from '../look-again.ts';
import { Booking, type BookingMode, type BookingSource, type BookingStatus } from './booking.entity.ts';
import { type Choice, slotTaken } from './choose.ts';
import type { Span } from './slots.ts';

export type Placed = {
  status: BookingStatus;
  source: BookingSource;
  mode: BookingMode;
  /** Undefined: that of whoever does it. */
  timezone?: string;
  conference: string;
};

/** SQL: `on conflict` of an exclusion constraint, which decides; who loses gets no row, and the transaction goes on with the next person. */
const insertion = `
  insert into bookings (organization_id, id, order_id, contact_id, service_id, staff_id, status, source, mode,
                        starts_at, ends_at, during, timezone, conference)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, tstzrange($12, $13), $14, $15)
      on conflict on constraint bookings_no_overlap do nothing
  returning id`;

const text = (ms: number) => new Date(ms).toISOString();

/** For an order that never had one. Throws 409 `slot_taken`. */
export async function insertBooking(
  tx: OwnTx,
  { orderId, contactId, field }: { orderId: string; contactId: string | null; field: string },
  { service, start, end, during, free }: Choice,
  { status, source, mode, timezone, conference }: Placed,
): Promise<string> {
  for (const person of free) {
    const inserted = tx.sql<RowOf<typeof Booking, 'id'>>(insertion, [
      uuidv7(),
      orderId,
      contactId,
      service.id,
      person.id,
      status,
      source,
      mode,
      text(start),
      text(end),
      text(during.start),
      text(during.end),
      timezone ?? person.timezone,
      conference,
    ]);
    const [row] = await inserted.catch(lookAgain);
    if (row) return row.id;
  }
  throw slotTaken(field);
}

const rangeText = ({ start, end }: Span) => `[${text(start)},${text(end)})`;

/**
 * Another time, person or service for a booking that there is, a cancelled one too. Throws 409 `slot_taken`: also when somebody else was
 * faster between the look and this write, since a refused update ends the transaction.
 */
export async function moveBooking(
  tx: OwnTx,
  { id, field }: { id: string; field: string },
  { service, start, end, during, free: [person] }: Choice,
  { timezone, ...placed }: Placed,
): Promise<void> {
  await tx
    .update(
      Booking,
      { id },
      {
        ...placed,
        service_id: service.id,
        staff_id: person!.id,
        timezone: timezone ?? person!.timezone,
        starts_at: text(start),
        ends_at: text(end),
        during: rangeText(during),
        schedule_updated_at: now(),
        updated_at: now(),
      },
    )
    .catch((error: unknown) => {
      if (sqlStateOf(error) === exclusionViolation) throw slotTaken(field);
      lookAgain(error);
    });
}

const exclusionViolation = '23P01';
