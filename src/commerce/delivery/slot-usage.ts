import { AppError } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';

export type SlotOfDay = { timeslotId: string; day: string };

/**
 * SQL: on conflict by condition, decided on the newest version of the row, so that no lock is held before. It writes nothing where the slot is full, and where it is gone.
 */
const take = `
  insert into slot_usage (organization_id, timeslot_id, day, used)
  select t.organization_id, t.id, $3::date, 1
    from delivery_timeslots t
   where t.organization_id = $1 and t.id = $2 and coalesce(t.capacity, 1) > 0
  on conflict on constraint slot_usage_pkey do update
     set used = slot_usage.used + 1
   where coalesce(slot_usage.used < (
           select t.capacity
             from delivery_timeslots t
            where t.organization_id = $1 and t.id = $2), true)
  returning used`;

/** One order more in the slot of that day, by condition. Throws 409 `conflict` when it is full. */
export async function takeSlot(tx: OwnTx, { timeslotId, day }: SlotOfDay): Promise<void> {
  const taken = await tx.sql(take, [timeslotId, day]);
  if (taken.length > 0) return;
  const message = 'The time slot is full on that day';
  throw new AppError('conflict', message, {
    details: [{ field: 'delivery_timeslot_id', location: 'body', code: 'timeslot.full', message, value: day }],
  });
}

/** SQL: a decrement by condition. A slot that was deleted has no row any more. */
export async function freeSlot(tx: OwnTx, { timeslotId, day }: SlotOfDay): Promise<void> {
  await tx.sql(
    `update slot_usage
        set used = used - 1
      where organization_id = $1 and timeslot_id = $2 and day = $3::date and used > 0`,
    [timeslotId, day],
  );
}
