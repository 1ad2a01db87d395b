import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import { type Ask, type Page, type PageRows, pageAskedFor } from '../../platform/listing/paging.ts';
import type { DeliveryMethod, DeliveryTimeslot } from './method.entity.ts';

export type TimeslotRow = RowOf<typeof DeliveryTimeslot, 'id' | 'label' | 'weekdays' | 'capacity'>;

const columns = [
  'id',
  'name',
  'kind',
  'currency',
  'fee_amount',
  'free_from_amount',
  'lead_days',
  'active',
  'connection_id',
  'created_at',
  'updated_at',
] as const;
export type MethodRow = RowOf<typeof DeliveryMethod, (typeof columns)[number]> & { timeslots: TimeslotRow[] };

/** SQL: one text for one method and for a page of them; their time slots are a list, in its order, made of a second table. */
const methods = `
  select ${columns.map((column) => `m.${column}`).join(', ')},
         (select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'label', t.label, 'weekdays', t.weekdays, 'capacity', t.capacity)
                                    order by t.position, t.id), '[]')
            from delivery_timeslots t
           where t.organization_id = m.organization_id and t.method_id = m.id) as timeslots
    from delivery_methods m
   where m.organization_id = $1`;

/** Throws 404. */
export async function getMethod(own: Own, id: string): Promise<MethodRow> {
  const [row] = await own.sql<MethodRow>(`${methods} and m.id = $2`, [id]);
  if (!row) throw notFound('Delivery method');
  return row;
}

export const listMethods = (own: Own, ask: Ask, page: Page): Promise<PageRows<MethodRow>> =>
  pageAskedFor<MethodRow>(ask, methods, [own.organizationId], page);
