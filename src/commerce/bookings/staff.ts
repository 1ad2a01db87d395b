import { sql } from 'kysely';
import { usableConnection } from '../../connections/use.ts';
import { fromNow, now } from '../../platform/database/columns.ts';
import { brokenReference } from '../../platform/database/errors.ts';
import type { Own, Runs, Select } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError, invalidField, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { pageWithinBytes } from '../../platform/listing/page-bytes.ts';
import { list, type Page, type PageRows } from '../../platform/listing/paging.ts';
import { askCopy } from './due-copies.ts';
import { faultOfRanges, type HoursOverride, type WeeklyRange } from './hours.ts';
import { renewCalendarsJob } from './jobs.ts';
import { Staff, StaffBusy } from './staff.entity.ts';

export const maxStaff = 1_000;
/** After the copy that is asked for at once. */
const copiedEveryMinutes = 13;

export type NewStaff = {
  name: string;
  email: string;
  timezone: string;
  calendar_connection_id: string | null;
  calendar_id: string | null;
  video_connection_id: string | null;
  weekly_hours: WeeklyRange[];
  overrides: HoursOverride[];
  reads_busy: boolean;
  active: boolean;
};

const columns = [
  'id',
  'name',
  'email',
  'timezone',
  'calendar_connection_id',
  'calendar_id',
  'video_connection_id',
  'weekly_hours',
  'overrides',
  'reads_busy',
  'busy_copied_at',
  'active',
  'created_at',
  'updated_at',
] as const;

export type StaffRow = RowOf<typeof Staff, (typeof columns)[number]>;

const sized = (select: Select) => select(Staff).select(['id', 'created_at', 'hours_bytes as bytes']);
const people = list(sized);
const peopleOf = statement((select, { ids }: { ids: string[] }) =>
  select(Staff)
    .select(columns)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc'),
);
const personById = statement((select, { id }: { id: string }) => select(Staff).select(columns).where('id', '=', id));
const counted = statement((select) => select(Staff).select(sql<number>`count(*)::int`.as('total')));

/** The hours of a year may have a hundred kB: the page ends within bounds. */
export const listStaff = async (own: Runs, page: Page): Promise<PageRows<StaffRow>> =>
  pageWithinBytes(own, await people(own, {}, page), page.limit, (ids) => peopleOf(own, { ids }));

/** Throws 404. */
export async function getStaff(own: Own, id: string): Promise<StaffRow> {
  const [row] = await personById(own, { id });
  if (!row) throw notFound('Staff member');
  return row;
}

export async function createStaff(tx: OwnTx, given: NewStaff): Promise<StaffRow> {
  const [{ total } = { total: 0 }] = await counted(tx, {});
  if (total >= maxStaff) throw new AppError('limit_reached', `An organization has at most ${maxStaff} staff members`);
  const values = await checked(tx, given);
  const id = uuidv7();
  await tx.insert(Staff, { id, ...values, ...(wantsCopy(values) && { next_copy_at: fromNow(copiedEveryMinutes, 'minute') }) });
  if (wantsCopy(values)) await askCopy(tx, id, values.calendar_connection_id!);
  return getStaff(tx, id);
}

const wantsCopy = ({ reads_busy, active }: NewStaff) => reads_busy && active;

/** Bookings that stand keep their times. Throws 404, 422 at the field. */
export async function changeStaff(tx: OwnTx, id: string, change: Partial<NewStaff>): Promise<StaffRow> {
  const before = await getStaff(tx, id);
  const values = await checked(tx, { ...before, ...change }, before);
  const isOther = values.calendar_connection_id !== before.calendar_connection_id || values.calendar_id !== before.calendar_id;
  const isEnded = isOther || !values.reads_busy;
  const isAsked = wantsCopy(values) && (isOther || !wantsCopy(before));
  await tx.update(
    Staff,
    { id },
    {
      ...values,
      ...(isEnded && { busy_copied_at: null }),
      ...(isAsked && { next_copy_at: fromNow(copiedEveryMinutes, 'minute') }),
      updated_at: now(),
    },
  );
  // The member's row comes first, as in a copy.
  if (isEnded) await tx.delete(StaffBusy, { staff_id: id });
  if (isAsked) await askCopy(tx, id, values.calendar_connection_id!);
  if (isOther || values.video_connection_id !== before.video_connection_id) tx.enqueue(renewCalendarsJob, { staff_id: id });
  return getStaff(tx, id);
}

/** Throws 404, and 409 for who was booked. */
export async function deleteStaff(tx: OwnTx, id: string): Promise<void> {
  const removed = await tx.delete(Staff, { id }).catch((error: unknown) => {
    if (!brokenReference(error)) throw error;
    throw new AppError('conflict', 'The staff member has bookings: set active to false instead');
  });
  if (removed === 0) throw notFound('Staff member');
}

/** Throws 422 at the field; 409 for a connection that is not connected. A connection that stays is not looked at again. */
async function checked(own: Own, given: NewStaff, before?: StaffRow): Promise<NewStaff> {
  assertWeekly(given.weekly_hours);
  assertOverrides(given.overrides);
  const calendar = given.calendar_connection_id;
  if (calendar === null && given.calendar_id !== null)
    throw invalidField('calendar_id', 'calendar_id needs a calendar_connection_id', 'calendar.connection');
  if (given.reads_busy && calendar === null)
    throw invalidField('reads_busy', 'reads_busy needs a calendar_connection_id', 'calendar.connection');
  if (calendar !== null && calendar !== before?.calendar_connection_id)
    await usableConnection(own, { kind: 'calendar', id: calendar, field: 'calendar_connection_id' });
  const video = given.video_connection_id;
  if (video !== null && video !== before?.video_connection_id)
    await usableConnection(own, { kind: 'video', id: video, field: 'video_connection_id' });
  return {
    name: given.name,
    email: given.email,
    timezone: given.timezone,
    calendar_connection_id: calendar,
    calendar_id: calendar === null ? null : (given.calendar_id ?? 'primary'),
    video_connection_id: video,
    weekly_hours: given.weekly_hours,
    overrides: given.overrides,
    reads_busy: given.reads_busy,
    active: given.active,
  };
}

function assertWeekly(weekly: WeeklyRange[]): void {
  for (let weekday = 1; weekday <= 7; weekday += 1) {
    const places = weekly.flatMap((range, index) => (range.weekday === weekday ? [index] : []));
    const fault = faultOfRanges(places.map((index) => weekly[index]!));
    if (fault) throw invalidField(`weekly_hours[${places[fault.index]}]`, fault.message, 'hours.ranges');
  }
}

function assertOverrides(overrides: HoursOverride[]): void {
  const dates = new Set<string>();
  for (const [index, { date, ranges }] of overrides.entries()) {
    if (dates.has(date)) throw invalidField(`overrides[${index}].date`, 'Each date must be named once', 'array.unique');
    dates.add(date);
    const fault = faultOfRanges(ranges);
    if (fault) throw invalidField(`overrides[${index}].ranges[${fault.index}]`, fault.message, 'hours.ranges');
  }
}
