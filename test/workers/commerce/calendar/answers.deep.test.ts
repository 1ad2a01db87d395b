import { afterEach, expect, test } from '@jest/globals';
import { useApp } from '../../../support/app.ts';
import {
  type Booked,
  bookingMade,
  calendarOf,
  cancelled,
  changed,
  hour,
  liveEventsOf,
  moved,
  repaired,
  type Staff,
  serviceMade,
  staffMade,
} from '../../../support/calendar.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { bookingCalendarRows, bookingRows, orderRows } from '../../../support/work/commerce.ts';
import { connectionRows, statusOfConnection } from '../../../support/work/connections.ts';
import { jobRows, poolRows, redispatchNow } from '../../../support/work/jobs.ts';
import { ahead, oneMore, rightNow } from '../../../support/work/rows.ts';

const app = useApp({ workers: true });
const path = '/calendar/v3/calendars/';

afterEach(async () => {
  expect((await app.control('GET', '/faults')).faults).toEqual([]);
});

type Step = 'insert' | 'patch' | 'delete';
const methods: Record<Step, string> = { insert: 'POST', patch: 'PATCH', delete: 'DELETE' };

const made = async (): Promise<{ staff: Staff; booked: Booked }> => {
  const staff = await staffMade(app);
  return { staff, booked: await bookingMade(app, staff, await serviceMade(app)) };
};

let moves = 200_000;
function nextHour() {
  moves += 2;
  return hour(moves);
}

/** One step of a sync, which gets this answer the first time. */
async function answered(step: Step, fault: object): Promise<{ staff: Staff; booked: Booked; starts: string }> {
  const { staff, booked } = await made();
  let starts = nextHour();
  if (step === 'insert') starts = (await bookingRows.one(app, booked.bookingId)).starts_at;
  else {
    await changed(app, booked);
    await app.idle();
  }
  await app.control('POST', '/faults', { match: { method: methods[step], path }, ...fault });
  if (step === 'insert') await changed(app, booked);
  if (step === 'patch') await moved(app, booked, starts);
  if (step === 'delete') await cancelled(app, booked);
  await waitFor('the answer', async () => (await app.control('GET', '/faults')).faults.length === 0);
  return { staff, booked, starts };
}

/** What waits for its next try is not made to wait. */
async function goesOn({ orderId }: Booked): Promise<void> {
  await waitFor('the end of the sync', async () => {
    const [job] = await app.rows(
      `select state, run_at > clock_timestamp() + interval '200 ms' as is_later from jobs where subject_id = $1 order by seq desc`,
      [orderId],
    );
    if (job.state === 'done' || job.state === 'failed') return true;
    if (job.state === 'queued' && job.is_later) await redispatchNow(app, { subject_id: orderId, state: 'queued' });
    await poolRows.change(app, { held_until: { $lt: 'infinity' } }, { held_until: null });
    return false;
  });
}

const attentionOf = async ({ orderId }: Booked) => (await orderRows.one(app, orderId)).attention;

async function isInStep(step: Step, booked: Booked, starts: string) {
  const live = await liveEventsOf(app, booked);
  expect(live).toHaveLength(step === 'delete' ? 0 : 1);
  if (step !== 'delete') expect(Date.parse(live[0].start.dateTime)).toBe(Date.parse(starts));
  expect((await calendarOf(app, booked)).status).toBe('synced');
  expect(await attentionOf(booked)).toEqual([]);
}

const passing = (['insert', 'patch', 'delete'] as const).flatMap((step) => [
  { step, answer: '401, an access token that is no longer good', fault: { kind: 'status', status: 401 } },
  { step, answer: '403 rateLimitExceeded', fault: { kind: 'status', status: 403, reason: 'rateLimitExceeded' } },
  { step, answer: '403 userRateLimitExceeded', fault: { kind: 'status', status: 403, reason: 'userRateLimitExceeded' } },
  { step, answer: '403 quotaExceeded', fault: { kind: 'status', status: 403, reason: 'quotaExceeded' } },
  { step, answer: '429', fault: { kind: 'status', status: 429 } },
  { step, answer: '500', fault: { kind: 'status', status: 500 } },
  { step, answer: '503', fault: { kind: 'status', status: 503 } },
  { step, answer: 'none, before it has acted', fault: { kind: 'drop_before' } },
  { step, answer: 'none, after it has acted', fault: { kind: 'drop_after' } },
]);

test.each(passing)('$step, $answer: it is in step in the end', async ({ step, fault }) => {
  const { booked, starts } = await answered(step, fault);
  await goesOn(booked);
  await isInStep(step, booked, starts);
});

test.each<[step: Step, status: number, becomes: string]>([
  ['patch', 412, 'brought back under its new etag'],
  ['delete', 404, 'done'],
  ['delete', 410, 'done'],
])('%s, %i: %s', async (step, status, _becomes) => {
  const { booked, starts } = await answered(step, { kind: 'status', status });
  await goesOn(booked);
  if (step === 'patch') return isInStep(step, booked, starts);
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'synced', event_id: null, earlier: [] });
});

test.each([404, 410])('patch, %i: made again under the next generation, and said so', async (status) => {
  const { booked } = await answered('patch', { kind: 'status', status });
  await goesOn(booked);
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'synced', generation: 1, error: 'event_recreated' });
});

test('insert, 409 although nothing is there: the next generation', async () => {
  const { booked, starts } = await answered('insert', { kind: 'status', status: 409 });
  await goesOn(booked);
  await isInStep('insert', booked, starts);
  expect((await calendarOf(app, booked)).generation).toBe(1);
});

test.each([
  ['insert', 403, 'forbidden'],
  ['insert', 403, 'requiredAccessLevel'],
  ['insert', 400, 'invalid'],
  ['insert', 400, 'timeRangeEmpty'],
  ['insert', 404, 'notFound'],
  ['patch', 403, 'forbidden'],
  ['patch', 400, 'invalid'],
  ['delete', 403, 'forbidden'],
] as const)(
  '%s, %i %s: failed, with the reason and for a person to look at; asked again it is in step',
  async (step, status, reason) => {
    const { booked, starts } = await answered(step, { kind: 'status', status, reason });
    await goesOn(booked);
    const row = await calendarOf(app, booked);
    expect(row.status).toBe('failed');
    expect(row.error).not.toBe('');
    expect(await attentionOf(booked)).toEqual(['calendar_failed']);
    const [job] = await jobRows.all(app, { subject_id: booked.orderId }, ['id', 'state', 'error'], { seq: 'desc' });
    expect(job!.state).toBe('failed');
    expect(job!.error).toMatchObject({ code: 'provider_refused', provider_code: reason });
    const events = await app.events(booked.orderId);
    expect(events.at(-1)).toMatchObject({ type: 'commerce.booking.updated', data: { calendar_sync_status: 'failed' } });

    await app.call('operations.retry', { params: { id: job!.id } }).catch(() => undefined);
    await changed(app, booked);
    await goesOn(booked);
    await isInStep(step, booked, starts);
  },
);

test('500 at every try: failed after the last one', async () => {
  const { booked } = await answered('insert', { kind: 'status', status: 500 });
  // The next one is the last, and does not come before the test lets it.
  const afterFirst = { subject_id: booked.orderId, attempts: 1, run_at: { $gt: rightNow() } };
  const beforeLast = { attempts: 7, run: oneMore('run'), run_at: ahead('1 hour'), check_at: ahead('1 hour') };
  await waitFor('the first try', async () => (await jobRows.change(app, afterFirst, beforeLast)) === 1);
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'pending', error: 'Backend Error' });
  await app.control('POST', '/faults', { match: { method: 'POST', path }, kind: 'status', status: 500 });
  await goesOn(booked);
  expect(await calendarOf(app, booked)).toMatchObject({ status: 'failed', error: 'Backend Error' });
  expect(await attentionOf(booked)).toEqual(['calendar_failed']);
});

test('a rate that is reached holds the whole pool, and spends no try', async () => {
  const { staff, booked } = await answered('insert', { kind: 'status', status: 403, reason: 'rateLimitExceeded' });
  const pool = `connection:${staff.connectionId}`;
  const isHeld = async () => (await poolRows.count(app, { id: pool, held_until: { $gt: rightNow() } })) === 1;
  await waitFor('the hold', isHeld);
  const [job] = await jobRows.all(app, { subject_id: booked.orderId }, ['attempts']);
  expect(job!.attempts).toBe(0);
  await goesOn(booked);
  expect((await calendarOf(app, booked)).status).toBe('synced');
});

test('revoked credentials: everything waits, says why, and goes on after the new ones', async () => {
  const staff = await staffMade(app);
  const service = await serviceMade(app);
  const all: Booked[] = [];
  for (let index = 0; index < 5; index += 1) all.push(await bookingMade(app, staff, service));
  await changed(app, all[0]!);
  await app.idle();
  await app.control('POST', '/tokens/revoke', { account: staff.account });
  for (const booked of all) await changed(app, booked);
  await waitFor('the stop', async () => (await statusOfConnection(app, staff.connectionId!)) === 'auth_error');
  await waitFor('the reason', async () => (await bookingCalendarRows.count(app, { status: 'pending', error: { $ne: '' } })) > 0);
  const waiting = await bookingCalendarRows.all(app, { booking_id: { $in: all.map(({ bookingId }) => bookingId) } }, ['status']);
  expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set(['pending']));
  // One that changes meanwhile, too: no run of it can say so.
  await moved(app, all[1]!, nextHour());
  for (const { orderId } of all) {
    const { body } = await app.call('commerce.orders.get', { params: { orderID: orderId } });
    const { calendar_sync_status, calendar_sync_error } = body.shipping_metadata.booking;
    expect(calendar_sync_status).toBe('pending');
    expect(calendar_sync_error).toMatch(/^The calendar connection is auth_error/);
  }
  const [name] = staff.account.split('@');
  await repaired(app, staff.connectionId!, `sandbox-refresh-token-${name}.second`);
  const pending = { status: 'pending' as const, booking_id: { $in: all.map(({ bookingId }) => bookingId) } };
  await waitFor('all to be in step', async () => (await bookingCalendarRows.count(app, pending)) === 0);
  for (const booked of all) {
    expect(await calendarOf(app, booked)).toMatchObject({ status: 'synced', error: '' });
    expect(await liveEventsOf(app, booked)).toHaveLength(1);
  }
});

test('a connection that was deleted: skipped', async () => {
  const { staff, booked } = await made();
  await connectionRows.change(app, staff.connectionId!, { deleted_at: rightNow(), credentials: null, status: 'disconnected' });
  expect(await changed(app, booked)).toBeNull();
  expect((await calendarOf(app, booked)).status).toBe('skipped');
});
