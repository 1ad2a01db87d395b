import { beforeEach, expect, test } from '@jest/globals';
import { timeShares } from '../../../src/platform/load/time-shares.ts';
import { type Tenant, useApp } from '../../support/app.ts';
import { rulesOf } from '../../support/automation-rules.ts';

const app = useApp();
let tenant: Tenant;
let other: Tenant;
beforeEach(async () => {
  [tenant, other] = [await app.organization(), await app.organization()];
});

test('what an organization had of the process is paid for before its next save, and nobody else waits', async () => {
  const saved = async (who: Tenant) => (await rulesOf(app, () => who).create()).status;
  timeShares.charge(tenant.organizationId, 60_000);
  // The place is free: it is paid for behind it.
  expect(await saved(tenant)).toBe(201);
  const order: string[] = [];
  const next = saved(tenant).then((status) => order.push(`own ${status}`));
  for (const number of [1, 2, 3]) order.push(`other ${number} ${await saved(other)}`);
  // What is not counted has no place to wait for.
  const read = await app.call('automation.rules.list', { key: tenant.key });
  order.push(`read ${read.status}`);
  await next;
  expect(order).toEqual(['other 1 201', 'other 2 201', 'other 3 201', 'read 200', expect.stringMatching(/^own (201|503)$/)]);
});

test('more than may wait for the place are refused at once, with a time to come again', async () => {
  timeShares.charge(tenant.organizationId, 60_000);
  const { create } = rulesOf(app, () => tenant);
  expect((await create()).status).toBe(201);
  const answers = await Promise.all(Array.from({ length: 52 }, () => create()));
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]!.body.error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('one after the other') });
  expect(refused[0]!.headers.get('retry-after')).toBe('1');
});
