import { sql } from 'kysely';
import { now } from '../../platform/database/columns.ts';
import { brokenReference } from '../../platform/database/errors.ts';
import type { Own, Select } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError, invalidField, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { list, type Page } from '../../platform/listing/paging.ts';
import { lookAgain } from '../look-again.ts';
import { renewServiceJob } from './jobs.ts';
import { Service, type ServiceConference, ServiceStaff } from './service.entity.ts';
import { Staff } from './staff.entity.ts';

export const maxServices = 1_000;
export const maxStaffOfService = 100;

export type ServiceValues = {
  name: string;
  duration_minutes: number;
  buffer_before: number;
  buffer_after: number;
  step_minutes: number;
  lead_minutes: number;
  horizon_days: number;
  cancel_until_minutes: number;
  conference: ServiceConference;
  location: string;
  active: boolean;
};
export type NewService = ServiceValues & { staff_ids: string[] };

const columns = [
  'id',
  'name',
  'duration_minutes',
  'buffer_before',
  'buffer_after',
  'step_minutes',
  'lead_minutes',
  'horizon_days',
  'cancel_until_minutes',
  'conference',
  'location',
  'active',
  'created_at',
  'updated_at',
] as const;

const withStaff = (select: Select) =>
  select(Service)
    .select(columns)
    .select(
      sql<string[]>`array(select d.staff_id
                            from service_staff d
                           where d.organization_id = services.organization_id and d.service_id = services.id
                           order by d.position, d.staff_id)`.as('staff_ids'),
    );

const services = list(withStaff);
const serviceById = statement((select, { id }: { id: string }) => withStaff(select).where('services.id', '=', id));
const counted = statement((select) => select(Service).select(sql<number>`count(*)::int`.as('total')));

export type ServiceRow = Awaited<ReturnType<typeof serviceById>>[number];

export const listServices = (own: Own, page: Page) => services(own, {}, page);

/** Throws 404. */
export async function getService(own: Own, id: string): Promise<ServiceRow> {
  const [row] = await serviceById(own, { id });
  if (!row) throw notFound('Service');
  return row;
}

export async function createService(tx: OwnTx, { staff_ids, ...values }: NewService): Promise<ServiceRow> {
  const [{ total } = { total: 0 }] = await counted(tx, {});
  if (total >= maxServices) throw new AppError('limit_reached', `An organization has at most ${maxServices} services`);
  const id = uuidv7();
  await tx.insert(Service, { id, ...values });
  await setStaff(tx, id, staff_ids);
  return getService(tx, id);
}

/** What of a service stands in a calendar. */
const shown = ['name', 'location', 'conference'] as const;

/** Bookings that stand keep their times and who does them; what their calendars show of the service is brought up to date. Throws 404. */
export async function changeService(
  tx: OwnTx,
  id: string,
  { staff_ids, ...values }: Partial<ServiceValues> & { staff_ids?: string[] },
): Promise<ServiceRow> {
  const before = await getService(tx, id);
  await tx.update(Service, { id }, { ...values, updated_at: now() });
  if (staff_ids) {
    await tx.delete(ServiceStaff, { service_id: id });
    await setStaff(tx, id, staff_ids);
  }
  const after = await getService(tx, id);
  if (shown.some((field) => after[field] !== before[field])) tx.enqueue(renewServiceJob, { service_id: id });
  return after;
}

/** Throws 404, and 409 once it was booked or a variant sells it. */
export async function deleteService(tx: OwnTx, id: string): Promise<void> {
  const removed = await tx.delete(Service, { id }).catch((error: unknown) => {
    if (!brokenReference(error)) throw error;
    throw new AppError('conflict', 'The service has bookings, or a variant sells it: set active to false instead');
  });
  if (removed === 0) throw notFound('Service');
}

async function setStaff(tx: OwnTx, serviceId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const known = await tx.select(Staff).select(['id']).where('id', 'in', ids).execute();
  const isKnown = new Set(known.map(({ id }) => id));
  const unknown = ids.findIndex((id) => !isKnown.has(id));
  if (unknown >= 0) throw invalidField(`staff_ids[${unknown}]`, 'No staff member has this id', 'reference.unknown');
  const rows = ids.map((staff_id, position) => ({ service_id: serviceId, staff_id, position }));
  await tx.insertMany(ServiceStaff, rows).catch(lookAgain);
}
