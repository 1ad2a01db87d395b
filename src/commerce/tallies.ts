import type { Tally } from '../platform/ledger/tally.ts';

const tally = <const Value extends string>(given: Tally<Value>): Tally<Value> => given;

export const orderMoves = tally({
  name: 'kanal_order_moves_total',
  help: 'Moves of orders, whoever made them: create, confirm, process, ship, complete, cancel',
  label: 'move',
  values: ['create', 'confirm', 'process', 'ship', 'complete', 'cancel'],
});

export const sessionEnds = tally({
  name: 'kanal_payment_sessions_total',
  help: 'Payment sessions that ended: completed (paid), failed, expired, cancelled, unknown (nobody knows whether there is a page; what is learned later counts again)',
  label: 'outcome',
  values: ['completed', 'failed', 'expired', 'cancelled', 'unknown'],
});

export const calendarSyncs = tally({
  name: 'kanal_calendar_syncs_total',
  help: 'Bookings that were brought to their calendar: synced, skipped (there was nothing to show any more), failed (for good)',
  label: 'outcome',
  values: ['synced', 'skipped', 'failed'],
});

export const shipmentOutcomes = tally({
  name: 'kanal_shipments_total',
  help: 'Shipments by what became of them: confirmed (the shipper has taken the order), then delivered, returned, cancelled or failed; failed without confirmed: the shipper refused it',
  label: 'outcome',
  values: ['confirmed', 'delivered', 'returned', 'cancelled', 'failed'],
});

export const commerceTallies: readonly Tally[] = [orderMoves, sessionEnds, calendarSyncs, shipmentOutcomes];

/** The value, where it is one that is counted: a status may also be one on the way. */
export const countedAs = <Value extends string>({ values }: Tally<Value>, value: string): Value | undefined =>
  values.find((one) => one === value);
