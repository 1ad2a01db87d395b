import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { endpointTestOf, type Health, openHealth } from '../../support/endpoint-health.ts';
import { heldUntil, poolRows } from '../../support/work/jobs.ts';
import { endpointRows } from '../../support/work/webhooks.ts';

const refusal = { ok: false, status: 500, durationMs: 1, errorClass: 'http', error: 'HTTP 500' } as const;
const success = { ok: true, status: 200, durationMs: 1 } as const;
const gone = { ...refusal, status: 410, error: 'HTTP 410' } as const;

let health: Health;
beforeAll(async () => {
  health = await openHealth();
});
beforeEach(() => health.begin());
afterAll(() => health.close());

describe('a spell of failures', () => {
  test('begins with the first failure, by the clock of the database', async () => {
    await health.attempt(refusal);
    expect(await health.failingForSeconds()).toBeGreaterThanOrEqual(0);
    expect(await health.failingForSeconds()).toBeLessThan(60);
  });

  test('goes on with the next failures, which write nothing to the endpoint', async () => {
    await health.attempt(refusal);
    const before = await health.version();
    await health.attempt(refusal);
    await health.attempt({ ...refusal, status: undefined, errorClass: 'timeout' });
    expect(await health.version()).toBe(before);
  });

  test('ends with a success; the next failure begins another', async () => {
    await health.attempt(refusal);
    await health.hasFailedFor('3 days');
    await health.attempt(success);
    expect((await health.endpoint()).failing_since).toBeNull();
    await health.attempt(refusal);
    expect(await health.failingForSeconds()).toBeLessThan(60);
  });

  test('is no concern of a success while all is well: nothing is written to the endpoint', async () => {
    const before = await health.version();
    await health.attempt(success);
    await health.attempt(success);
    expect(await health.version()).toBe(before);
  });

  test('begins once, however many attempts fail at the same time', async () => {
    await Promise.all(Array.from({ length: 5 }, () => health.attempt(refusal)));
    expect(await health.failingForSeconds()).toBeLessThan(60);
    expect(await health.deliveries()).toEqual(Array(5).fill('pending'));
  });

  test('does not begin with the failure of a test, and ends with the success of one', async () => {
    await endpointTestOf(health, refusal);
    expect((await health.endpoint()).failing_since).toBeNull();
    await health.attempt(refusal);
    await endpointTestOf(health, success);
    expect((await health.endpoint()).failing_since).toBeNull();
  });

  test('that cannot be written at that moment costs no answer: the delivery is over, and the next success ends it', async () => {
    await health.attempt(refusal);
    await health.house.sql(`alter table webhook_endpoints add constraint away check (failing_since is not null) not valid`);
    try {
      await health.attempt(success);
      expect(await health.deliveries()).toContain('succeeded');
      expect((await health.endpoint()).failing_since).not.toBeNull();
    } finally {
      await health.house.sql('alter table webhook_endpoints drop constraint away');
    }
    await health.attempt(success);
    expect((await health.endpoint()).failing_since).toBeNull();
  });

  test('does not begin at an endpoint that was disabled meanwhile', async () => {
    await health.attempt(refusal, { meanwhile: () => health.disable() });
    expect((await health.endpoint()).failing_since).toBeNull();
  });
});

describe('after a day of nothing but failures', () => {
  test('the other endpoints are told once, and never the endpoint itself', async () => {
    await health.attempt(refusal);
    await health.hasFailedFor('24 hours');
    await health.attempt(refusal);
    await health.attempt(refusal);
    const { failing_since } = await health.endpoint();
    const since = new Date(failing_since!);
    const events = await health.events();
    const disable_at = events[0]!.data.disable_at as string;
    expect((Date.parse(disable_at) - since.getTime()) / 86_400_000).toBeCloseTo(5, 3);
    expect(events).toEqual([
      {
        type: 'endpoint.failing',
        data: {
          endpoint_id: health.endpointId,
          failing_since: since.toISOString(),
          disable_at,
          organization_id: health.organizationId,
        },
        receivers: [health.otherEndpointId],
      },
    ]);
  });

  test('each owner has one mail, and nobody else has', async () => {
    await health.attempt(refusal);
    await health.hasFailedFor('24 hours');
    await health.attempt(refusal);
    await health.attempt(refusal);
    const mails = await health.mails();
    expect(mails.map(({ kind, recipient }) => [kind, recipient])).toEqual(
      health.owners.map((recipient) => ['endpoint_failing', recipient]),
    );
    expect(mails[0]!.data).toEqual({
      organization: 'Test',
      host: 'hooks.example.com',
      endpoint_id: health.endpointId,
      failing_since: expect.stringMatching(/^\d{4}-.*Z$/),
      disable_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  test('a little less than a day is not yet told', async () => {
    await health.attempt(refusal);
    await health.hasFailedFor('23 hours 59 minutes');
    await health.attempt(refusal);
    expect(await health.events()).toEqual([]);
    expect(await health.mails()).toEqual([]);
  });

  test('failures at the same time tell once', async () => {
    await health.attempt(refusal);
    await health.hasFailedFor('30 hours');
    await Promise.all(Array.from({ length: 5 }, () => health.attempt(refusal)));
    expect((await health.events()).map(({ type }) => type)).toEqual(['endpoint.failing']);
    expect(await health.mails()).toHaveLength(health.owners.length);
  });

  test('the next success tells that it recovered, and a new spell is told anew', async () => {
    await health.attempt(refusal);
    await health.hasFailedFor('25 hours');
    await health.attempt(refusal);
    await health.attempt(success);
    await health.attempt(success);
    await health.attempt(refusal);
    await health.hasFailedFor('25 hours');
    await health.attempt(refusal);
    expect((await health.events()).map(({ type, receivers }) => [type, receivers])).toEqual([
      ['endpoint.failing', [health.otherEndpointId]],
      ['endpoint.recovered', [health.otherEndpointId]],
      ['endpoint.failing', [health.otherEndpointId]],
    ]);
  });

  test('a spell that was not told of ends without a word', async () => {
    await health.attempt(refusal);
    await health.hasFailedFor('23 hours');
    await health.attempt(success);
    expect(await health.events()).toEqual([]);
  });
});

describe('after five days of nothing but failures', () => {
  const afterFiveDays = async () => {
    await health.attempt(refusal);
    await health.hasFailedFor('5 days');
    await health.wasTold('4 days');
  };

  test('a failure disables the endpoint, and its deliveries are held', async () => {
    await afterFiveDays();
    await health.attempt(refusal);
    expect(await health.endpoint()).toMatchObject({ enabled: false, disabled_reason: 'failing', failing_since: null });
    expect(await health.heldUntil()).toBe('infinity');
    expect((await health.waiting()).state).toBe('waiting');
    expect(await health.deliveries()).toEqual(['pending', 'pending', 'pending']);
  });

  test('the others are told why, the endpoint is not, and each owner has a mail', async () => {
    await afterFiveDays();
    await health.attempt(refusal);
    expect(await health.events()).toEqual([
      {
        type: 'endpoint.disabled',
        data: { endpoint_id: health.endpointId, reason: 'failing', organization_id: health.organizationId },
        receivers: [health.otherEndpointId],
      },
    ]);
    const mails = await health.mails();
    expect(mails.map(({ kind, recipient }) => [kind, recipient])).toEqual(
      health.owners.map((recipient) => ['endpoint_disabled', recipient]),
    );
    expect(mails[0]!.data).toMatchObject({ reason: 'failing', failing_since: expect.stringMatching(/Z$/) });
  });

  test('an endpoint that nobody was told of is told of first, with the time that is left', async () => {
    await health.attempt(refusal);
    await health.hasFailedFor('30 days');
    await Promise.all(Array.from({ length: 5 }, () => health.attempt(refusal)));
    expect((await health.endpoint()).enabled).toBe(true);
    const events = await health.events();
    expect(events.map(({ type }) => type)).toEqual(['endpoint.failing']);
    const leftMs = Date.parse(events[0]!.data.disable_at as string) - Date.now();
    expect(leftMs / 86_400_000).toBeCloseTo(4, 2);
  });

  test('one that was told of late is disabled no earlier than it was told', async () => {
    await health.attempt(refusal);
    await health.hasFailedFor('30 days');
    await health.wasTold('3 days 23 hours 59 minutes');
    await health.attempt(refusal);
    expect((await health.endpoint()).enabled).toBe(true);
    await health.wasTold('4 days');
    await health.attempt(refusal);
    expect((await health.endpoint()).enabled).toBe(false);
  });

  test('failures at the same time disable once', async () => {
    await afterFiveDays();
    await Promise.all(Array.from({ length: 5 }, () => health.attempt(refusal)));
    expect((await health.events()).map(({ type }) => type)).toEqual(['endpoint.disabled']);
    expect(await health.mails()).toHaveLength(health.owners.length);
  });

  test('time alone does nothing: a success ends the spell', async () => {
    await afterFiveDays();
    await health.attempt(success);
    await health.attempt(refusal);
    expect((await health.endpoint()).enabled).toBe(true);
  });

  test('never by count: a hundred failures in less than five days disable nothing', async () => {
    await health.attempt(refusal);
    await health.hasFailedFor('4 days 23 hours 59 minutes');
    for (let index = 0; index < 100; index += 1) await health.attempt(refusal);
    expect((await health.endpoint()).enabled).toBe(true);
  });

  test('a success while the failure was on its way wins: the database decides, not the row of the claim', async () => {
    await afterFiveDays();
    await health.attempt(refusal, { meanwhile: () => health.attempt(success) });
    expect((await health.endpoint()).enabled).toBe(true);
    expect(await health.heldUntil()).toBeNull();
    expect((await health.events()).map(({ type }) => type)).toEqual(['endpoint.recovered']);
  });
});

test('410 is the same rule: disabled at once, told to the others and to the owners', async () => {
  await health.attempt(gone);
  expect(await health.endpoint()).toMatchObject({ enabled: false, disabled_reason: 'gone', failing_since: null });
  expect(await health.heldUntil()).toBe('infinity');
  expect((await health.events()).map(({ type, data }) => [type, data.reason])).toEqual([['endpoint.disabled', 'gone']]);
  expect((await health.mails()).map(({ data }) => data.reason)).toEqual(health.owners.map(() => 'gone'));
});

test('410 of an endpoint that is disabled holds what is still delivered to it', async () => {
  const drain = `endpoint:${health.endpointId}:drain`;
  await poolRows.add(health.house, { organization_id: health.organizationId, id: drain, width: 10 });
  const drainHeldUntil = () => heldUntil(health.house, drain);
  await health.attempt(refusal, { meanwhile: () => health.disable() });
  expect(await drainHeldUntil()).toBeNull();
  await endpointRows.change(health.house, {}, { enabled: true });
  await health.attempt(gone, { meanwhile: () => health.disable() });
  expect(await drainHeldUntil()).toBe('infinity');
  expect(await health.events()).toEqual([]);
});

test('the times are settings', async () => {
  const { config } = health.house.deps;
  health.house.deps.config = { ...config, webhookFailingAfterHours: 1, webhookDisableAfterDays: 1 };
  await health.attempt(refusal);
  await health.hasFailedFor('2 hours');
  await health.attempt(refusal);
  await health.hasFailedFor('25 hours');
  await health.wasTold('23 hours');
  await health.attempt(refusal);
  health.house.deps.config = config;
  expect((await health.events()).map(({ type }) => type)).toEqual(['endpoint.failing', 'endpoint.disabled']);
});

test('told of later than disabled, by its settings: told of when it would be disabled, and disabled by the next failure', async () => {
  const { config } = health.house.deps;
  health.house.deps.config = { ...config, webhookFailingAfterHours: 48, webhookDisableAfterDays: 1 };
  await health.attempt(refusal);
  await health.hasFailedFor('25 hours');
  await health.attempt(refusal);
  await health.attempt(refusal);
  health.house.deps.config = config;
  expect((await health.events()).map(({ type }) => type)).toEqual(['endpoint.failing', 'endpoint.disabled']);
});

test('a mail that is sent says what happened, without the path of the receiver', async () => {
  await health.attempt(gone);
  const [sent] = await health.sendMails();
  expect(sent!.subject).toBe('A webhook endpoint of Test was disabled');
  expect(sent!.text).toContain('hooks.example.com was disabled: it answered 410 Gone.');
  expect(sent!.text).toContain(`/v1/settings/developer/webhooks/endpoints/${health.endpointId}/enable`);
  expect(JSON.stringify(sent)).not.toContain('secret-path');
});
