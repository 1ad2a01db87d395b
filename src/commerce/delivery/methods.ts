import type { Own } from '../../platform/database/own.ts';
import { notFound } from '../../platform/errors.ts';
import { type Ask, type Page, type PageRows, pageAskedFor } from '../../platform/listing/paging.ts';
import type { DeliveryMethodKind } from './method.entity.ts';

export type TimeslotRow = { id: string; label: string; weekdays: number[]; capacity: number | null };
export type MethodRow = {
  id: string;
  name: string;
  kind: DeliveryMethodKind;
  currency: string | null;
  fee_amount: string;
  free_from_amount: string | null;
  lead_days: number;
  active: boolean;
  connection_id: string | null;
  timeslots: TimeslotRow[];
  created_at: string;
  updated_at: string;
};

/** SQL: the time slots of a method come with it, in their order. */
const methods = `
  select m.id, m.name, m.kind, m.currency, m.fee_amount, m.free_from_amount, m.lead_days, m.active, m.connection_id, m.created_at,
         m.updated_at,
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
