import { beforeEach, describe, expect, test } from '@jest/globals';
import { maxCounted, spans } from '../../../src/webhooks/stats.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { newRandom } from '../../support/seed.ts';
import { storedDeliveryAttempts, storedEndpoints } from '../../support/stored/webhooks.ts';

const app = useApp();
let tenant: Tenant;
let endpointId: string;
beforeEach(async () => {
  tenant = await app.organization();
  endpointId = await makeEndpoint();
});

async function makeEndpoint(): Promise<string> {
  const body = { url: 'http://127.0.0.1:9/', event_types: ['message.new'] };
  return (await app.call('webhooks.endpoints.create', { key: tenant.key, body })).body.id;
}
const ask = (endpointID = endpointId, key = tenant.key) => app.call('webhooks.endpoints.stats', { key, params: { endpointID } });
const stats = async (endpointID?: string): Promise<Body> => {
  const { status, body } = await ask(endpointID);
  expect(status).toBe(200);
  return body;
};

/** Deliveries, one for each state, of events of their own. */
async function deliver(given: string[], { next = 'null', finished = 'null', endpoint = endpointId } = {}): Promise<string[]> {
  const rows = await app.rows<{ id: string }>(
    `with e as (
       insert into events (id, organization_id, type, subject_type, subject_id, data)
       select uuidv7(), $1, 'message.new', 'contact', uuidv7(), '{}' from unnest($2::text[])
       returning id),
     numbered as (select id, row_number() over () as n from e)
     insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, next_attempt_at, finished_at)
     select uuidv7(), $1, n.id, $3, s.state, ${next}, ${finished}
       from numbered n join unnest($2::text[]) with ordinality s(state, n) using (n)
     returning id`,
    [tenant.organizationId, given, endpoint],
  );
  return rows.map(({ id }) => id);
}

type Attempt = { minutesAgo: number; status: number | null; durationMs: number };

async function attempt(attempts: Attempt[], endpoint = endpointId): Promise<void> {
  const [deliveryId] = await deliver(['succeeded'], { endpoint });
  await app.rows(
    `insert into webhook_attempts (id, organization_id, delivery_id, endpoint_id, number, status, duration_ms, created_at)
     select uuidv7(-a.minutes * interval '1 min'), $1, $2, $3, 1, a.status, a.duration, clock_timestamp() - a.minutes * interval '1 min'
       from unnest($4::float8[], $5::int[], $6::int[]) a(minutes, status, duration)`,
    [
      tenant.organizationId,
      deliveryId,
      endpoint,
      attempts.map(({ minutesAgo }) => minutesAgo),
      attempts.map(({ status }) => status),
      attempts.map(({ durationMs }) => durationMs),
    ],
  );
}

test('an endpoint that was never used', async () => {
  const body = await stats();
  expect(body).toMatchObject({
    enabled: true,
    backlog: { pending: 0, failed: 0, cancelled: 0 },
    oldest_overdue_at: null,
    next_attempt_at: null,
    last_attempt_at: null,
    last_success_at: null,
  });
  expect([body.hours.length, body.days.length]).toEqual([24, 30]);
  expect(body.hours[3]).toEqual({
    from: expect.stringMatching(/T\d\d:00:00\.000Z$/),
    attempts: 0,
    succeeded: 0,
    success_rate: null,
    p50_ms: null,
    p99_ms: null,
    is_sample: false,
  });
});

describe('by hour and by day', () => {
  /** The smallest value that so many of all are not above. */
  const naive = (sorted: number[], part: number) => sorted[Math.ceil(part * sorted.length) - 1];

  test('as somebody would count by hand', async () => {
    const drawn = newRandom();
    const random = (below: number) => Math.floor(drawn() * below);
    const statuses = [200, 204, 299, 300, 404, 500, null];
    const attempts = Array.from({ length: 400 }, (): Attempt => {
      // Half of them in the last day, so that hours have some.
      const minutesAgo = random(2) === 0 ? random(24 * 60) : random(29 * 24 * 60);
      return { minutesAgo, status: statuses[random(statuses.length)]!, durationMs: random(15_000) };
    });
    await attempt(attempts);
    await attempt([{ minutesAgo: 5, status: 500, durationMs: 1 }], await makeEndpoint());
    const body = await stats();
    const rows = await storedDeliveryAttempts.all(app, { endpoint_id: endpointId });
    for (const [name, lengthMs] of [
      ['hours', 3_600_000],
      ['days', 24 * 3_600_000],
    ] as const) {
      for (const bucket of body[name]) {
        const from = Date.parse(bucket.from);
        const within = rows.filter(
          ({ created_at }) => Date.parse(created_at) >= from && Date.parse(created_at) < from + lengthMs,
        );
        const durations = within.map(({ duration_ms }) => duration_ms).sort((one, other) => one - other);
        const succeeded = within.filter(({ status }) => status !== null && status >= 200 && status < 300).length;
        expect(bucket).toEqual({
          from: bucket.from,
          attempts: within.length,
          succeeded,
          success_rate: within.length === 0 ? null : succeeded / within.length,
          p50_ms: naive(durations, 0.5) ?? null,
          p99_ms: naive(durations, 0.99) ?? null,
          is_sample: false,
        });
      }
    }
    const inDays = body.days.reduce((sum: number, { attempts: some }: Body) => sum + some, 0);
    expect(inDays).toBe(400);
  });

  test('of very many a sample of the whole hour is read, and it says so', async () => {
    const { slices, perSlice } = spans.hours;
    const perMinute = 60;
    // All of the hour before this one: its first half fast, its second half slow.
    const intoHour = (Date.now() / 60_000) % 60;
    const many = Array.from({ length: 60 * perMinute }, (_, index): Attempt => {
      const minute = (index + 0.5) / perMinute;
      return { minutesAgo: intoHour + 60 - minute, status: 200, durationMs: minute < 30 ? 10 : 1_000 };
    });
    await attempt(many);
    const bucket = (await stats()).hours.at(-2);
    expect(bucket).toMatchObject({ is_sample: true, p99_ms: 1_000, success_rate: 1 });
    expect(bucket.attempts).toBeLessThanOrEqual(slices * perSlice);
    expect(bucket.p50_ms).toBe(10);
  });
});

describe('what is still to come', () => {
  test('backlog by state; the oldest overdue and the next', async () => {
    await deliver(['failed', 'failed', 'succeeded'], { finished: 'clock_timestamp()' });
    await deliver(['pending'], { next: `clock_timestamp() - interval '10 min'` });
    await deliver(['pending'], { next: `clock_timestamp() - interval '20 min'` });
    await deliver(['pending'], { next: `clock_timestamp() + interval '20 min'` });
    await deliver(['pending'], { next: `clock_timestamp() + interval '10 min'` });
    await deliver(['pending'], { next: `clock_timestamp() - interval '1 day'`, endpoint: await makeEndpoint() });
    const body = await stats();
    expect(body.backlog).toEqual({ pending: 4, failed: 2, cancelled: 0 });
    expect((Date.now() - Date.parse(body.oldest_overdue_at)) / 60_000).toBeCloseTo(20, 0);
    expect((Date.parse(body.next_attempt_at) - Date.now()) / 60_000).toBeCloseTo(10, 0);
  });

  test('is counted up to a maximum', async () => {
    await deliver(Array(maxCounted + 5).fill('failed'), { finished: 'clock_timestamp()' });
    expect((await stats()).backlog).toEqual({ pending: 0, failed: maxCounted, cancelled: 0 });
  });

  test('a disabled endpoint says so', async () => {
    await storedEndpoints.change(app, endpointId, { enabled: false });
    expect((await stats()).enabled).toBe(false);
  });
});

describe('the last success', () => {
  const minutesSince = (at: string) => (Date.now() - Date.parse(at)) / 60_000;

  test('is that of the latest attempts', async () => {
    await attempt([
      { minutesAgo: 30, status: 200, durationMs: 1 },
      { minutesAgo: 20, status: 500, durationMs: 1 },
      { minutesAgo: 10, status: null, durationMs: 1 },
    ]);
    const body = await stats();
    expect(minutesSince(body.last_success_at)).toBeCloseTo(30, 0);
    expect(minutesSince(body.last_attempt_at)).toBeCloseTo(10, 0);
  });

  test('is that of a delivery, when no attempt of it is kept any more', async () => {
    await deliver(['succeeded'], { finished: `clock_timestamp() - interval '90 min'` });
    expect(minutesSince((await stats()).last_success_at)).toBeCloseTo(90, 0);
  });
});

test.each(['01932d5f-3a0e-7cc4-8f4e-0242ac120005', 'x'])('no endpoint %s: 404', async (id) => {
  expect((await ask(id)).body.error.message).toBe('Webhook endpoint not found');
});

test("another organization's: 404", async () => {
  const { key } = await app.organization();
  expect((await ask(endpointId, key)).status).toBe(404);
});

test('takes a place among the expensive reads of its organization', async () => {
  let goOn: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const held = app.web.deps.reads.dear(tenant.organizationId, () => gate);
  let isAnswered = false;
  const asked = stats().then(() => {
    isAnswered = true;
  });
  expect((await app.call('webhooks.endpoints.deliveries', { key: tenant.key, params: { endpointID: endpointId } })).status).toBe(
    200,
  );
  expect(isAnswered).toBe(false);
  goOn();
  await held;
  await asked;
});
