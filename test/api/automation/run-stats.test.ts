import { beforeAll, expect, test } from '@jest/globals';
import type { RunState } from '../../../src/automation/states.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';
import { automationRun, rule } from '../../support/factories/automation.ts';
import { storedRules, storedRunCounts } from '../../support/stored/automation.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp({});
const nothing = { cancelled: 0, failed: 0, queued: 0, running: 0, succeeded: 0, total: 0 };
const statsOf = (query: Record<string, string | number | boolean> = {}, key?: string) =>
  app.call('automation.runs.stats', { query, ...(key && { key }) });

let ruleId: string;
const make = (state: RunState, of = ruleId, createdAt?: string) =>
  automationRun(app.em(), app.tenant.organizationId, { ruleId: of, state, ...(createdAt && { createdAt }) });

beforeAll(async () => {
  ruleId = (await rule(app.em(), app.tenant.organizationId)).id;
});

test('none: six integers, all of them 0', async () => {
  const { status, body } = await statsOf();
  expect(status).toBe(200);
  expect(body).toStrictEqual(nothing);
});

test('runs by state, and their sum', async () => {
  for (const state of ['queued', 'running', 'running', 'succeeded', 'failed', 'cancelled'] as const) await make(state);
  expect((await statsOf()).body).toStrictEqual({ cancelled: 1, failed: 1, queued: 1, running: 2, succeeded: 1, total: 6 });
});

test('of one rule, and of a time', async () => {
  const { id: other } = await rule(app.em(), app.tenant.organizationId);
  await make('failed', other, '2026-01-10T10:00:00.000Z');
  await make('succeeded', other, '2026-01-11T10:00:00.000Z');
  const day = { since: '2026-01-11', until: '2026-01-12' };
  expect((await statsOf({ rule_id: other })).body).toStrictEqual({ ...nothing, failed: 1, succeeded: 1, total: 2 });
  expect((await statsOf({ rule_id: other, ...day })).body).toStrictEqual({ ...nothing, succeeded: 1, total: 1 });
  expect((await statsOf({ until: '2026-01-11' })).body).toStrictEqual({ ...nothing, failed: 1, total: 1 });
  expect((await statsOf({ since: '2026-01-11', until: '2026-01-11' })).body).toStrictEqual(nothing);
});

test('what purges took is counted, but not within a time', async () => {
  const { id: purged } = await rule(app.em(), app.tenant.organizationId);
  const of = { organization_id: app.tenant.organizationId, rule_id: purged };
  await storedRunCounts.add(app, { ...of, state: 'failed', count: 7 });
  await storedRunCounts.add(app, { ...of, state: 'succeeded', count: 3_000_000_000 });
  await make('failed', purged);
  const all = { ...nothing, failed: 8, succeeded: 3_000_000_000, total: 3_000_000_008 };
  expect((await statsOf({ rule_id: purged })).body).toStrictEqual(all);
  const whole = (await statsOf()).body;
  expect(whole.succeeded).toBeGreaterThan(3_000_000_000);
  expect(whole.total).toBe(whole.cancelled + whole.failed + whole.queued + whole.running + whole.succeeded);
  expect((await statsOf({ rule_id: purged, since: '2026-01-01' })).body).toStrictEqual({ ...nothing, failed: 1, total: 1 });
});

test('an unknown rule, a deleted one and another organization’s: 422', async () => {
  const { organizationId } = await app.organization();
  const foreign = await rule(app.em(), organizationId);
  const deleted = await rule(app.em(), app.tenant.organizationId);
  await storedRules.change(app, deleted.id, { deleted_at: now() });
  for (const rule_id of [uuidv7(), deleted.id, foreign.id])
    for (const time of [{}, { since: '2026-01-01' }] as Record<string, string>[]) {
      const { status, body } = await statsOf({ rule_id, ...time });
      expect(status).toBe(422);
      expect(body.error.details).toEqual([
        expect.objectContaining({ field: 'rule_id', location: 'query', code: 'rule.unknown' }),
      ]);
    }
});

test('since after until: 422, also where their zones differ', async () => {
  for (const [since, until] of [
    ['2026-01-02', '2026-01-01'],
    ['2026-01-01T10:00:00+01:00', '2026-01-01T08:30:00Z'],
  ] as [string, string][]) {
    const { status, body } = await statsOf({ since, until });
    expect(status).toBe(422);
    expect(body.error.details).toEqual([expect.objectContaining({ field: 'since', location: 'query' })]);
  }
  expect((await statsOf({ since: '2026-01-01T10:00:00+02:00', until: '2026-01-01T08:30:00Z' })).status).toBe(200);
});

test("another organization's runs are not counted", async () => {
  const { key } = await app.organization();
  expect((await statsOf({}, key)).body).toStrictEqual(nothing);
});
