import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError, invalidField } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { DeliveryTimeslot } from './method.entity.ts';
import { getMethod } from './methods.ts';

/** With an id: one that is there, whose counts stay. */
export type GivenTimeslot = { id?: string; label: string; weekdays: number[]; capacity: number | null };

/**
 * The method has these time slots, in this order: those left out go, with what orders have counted in them. SQL: sets; labels make way first,
 * so that two can swap. Needs the method's row lock.
 */
export async function setTimeslots(tx: OwnTx, methodId: string, given: GivenTimeslot[]): Promise<void> {
  const present = await tx.sql<RowOf<typeof DeliveryTimeslot, 'id'>>(
    `select id
       from delivery_timeslots
      where organization_id = $1 and method_id = $2`,
    [methodId],
  );
  const known = new Set(present.map(({ id }) => id));
  const unknown = given.findIndex(({ id }) => id !== undefined && !known.has(id));
  if (unknown !== -1)
    throw invalidField(`timeslots[${unknown}].id`, 'The delivery method has no time slot of this id', 'reference.unknown');
  const slots = given.map((slot) => ({ ...slot, id: slot.id ?? uuidv7() }));
  await tx.sql(
    `delete from delivery_timeslots
      where organization_id = $1 and method_id = $2 and id <> all($3::uuid[])`,
    [methodId, slots.map(({ id }) => id)],
  );
  await tx.sql(
    `update delivery_timeslots
        set label = id::text
      where organization_id = $1 and method_id = $2`,
    [methodId],
  );
  await tx.sql(
    `insert into delivery_timeslots (organization_id, method_id, id, label, weekdays, capacity, position)
     select $1, $2, t.id, t.label, t.weekdays, t.capacity, t.position
       from jsonb_to_recordset($3::jsonb) t (id uuid, label text, weekdays int[], capacity int, position int)
     on conflict on constraint delivery_timeslots_pkey do update
        set label = excluded.label, weekdays = excluded.weekdays, capacity = excluded.capacity, position = excluded.position`,
    [methodId, JSON.stringify(slots.map((slot, position) => ({ ...slot, position })))],
  );
}

export type DaySlot = RowOf<typeof DeliveryTimeslot, 'id' | 'label' | 'capacity'> & {
  used: number;
  available: number | null;
  is_open: boolean;
};

/**
 * The time slots of one day. `is_open`: an order could take it now. SQL: what is left of each is computed of four tables, and today is that of
 * the store's zone by the database's clock.
 */
const ofDay = `
  select t.id, t.label, t.capacity, coalesce(u.used, 0) as used,
         case when t.capacity is not null then greatest(t.capacity - coalesce(u.used, 0), 0) end as available,
         m.active
           and $3::date >= (statement_timestamp() at time zone coalesce(s.timezone, 'UTC'))::date + m.lead_days
           and coalesce(coalesce(u.used, 0) < t.capacity, true) as is_open
    from delivery_timeslots t
    join delivery_methods m on m.organization_id = t.organization_id and m.id = t.method_id
    left join commerce_settings s on s.organization_id = t.organization_id
    left join slot_usage u on u.organization_id = t.organization_id and u.timeslot_id = t.id and u.day = $3::date
   where t.organization_id = $1 and t.method_id = $2 and extract(isodow from $3::date)::int = any(t.weekdays)
   order by t.position, t.id`;

/** Throws 404. */
export async function timeslotsOf(own: Own, methodId: string, day: string): Promise<DaySlot[]> {
  await getMethod(own, methodId);
  return own.sql<DaySlot>(ofDay, [methodId, day]);
}

/** Throws 422 for a label that is there twice. */
export function assertLabels(slots: GivenTimeslot[]): void {
  const seen = new Set<string>();
  for (const [index, { label }] of slots.entries()) {
    if (seen.has(label))
      throw new AppError('invalid_request', 'Two time slots have the same label', {
        details: [
          { field: `timeslots[${index}].label`, location: 'body', code: 'timeslot.label', message: 'Another one has this label' },
        ],
      });
    seen.add(label);
  }
}
