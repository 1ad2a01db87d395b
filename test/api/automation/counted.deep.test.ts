import { beforeEach, expect, test } from '@jest/globals';
import { pagesOf, timeShares } from '../../../src/platform/load/shares.ts';
import { type Tenant, useApp } from '../../support/app.ts';
import { rulesOf } from '../../support/automation-rules.ts';

const app = useApp();
let tenant: Tenant;
let other: Tenant;
beforeEach(async () => {
  [tenant, other] = [await app.organization(), await app.organization()];
});

const saved = async (who: Tenant) => (await rulesOf(app, () => who).create()).status;
const read = async (who: Tenant) => (await app.call('automation.rules.list', { key: who.key })).status;

/** Of requests that begin one after the other, in the order of their answers. `503`: it has waited for 5 s. */
async function answersOf(asked: Record<string, () => Promise<number>>): Promise<string[]> {
  const answers: string[] = [];
  await Promise.all(Object.entries(asked).map(async ([name, ask]) => answers.push(`${name} ${await ask()}`)));
  return answers;
}

test('what an organization had of the process is paid for before its next save; nobody else waits, nor what is not counted', async () => {
  timeShares.charge(tenant.organizationId, 60_000);
  // The place is free: it is paid for behind it.
  expect(await saved(tenant)).toBe(201);
  const answers = await answersOf({ own: () => saved(tenant), other: () => saved(other), list: () => read(tenant) });
  expect(answers.slice(0, 2).sort()).toEqual(['list 200', 'other 201']);
  expect(answers[2]).toMatch(/^own (201|503)$/);
});

test('so is what its large pages took before its next one', async () => {
  timeShares.charge(pagesOf(tenant.organizationId), 60_000);
  expect(await read(tenant)).toBe(200);
  const answers = await answersOf({ own: () => read(tenant), other: () => read(other), save: () => saved(tenant) });
  expect(answers.slice(0, 2).sort()).toEqual(['other 200', 'save 201']);
  expect(answers[2]).toMatch(/^own (200|503)$/);
});

test('more than may wait for the place are refused at once, with a time to come again', async () => {
  const { create } = rulesOf(app, () => tenant);
  timeShares.charge(tenant.organizationId, 60_000);
  expect((await create()).status).toBe(201);
  const answers = await Promise.all(Array.from({ length: 10 }, () => create()));
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThanOrEqual(2);
  expect(refused[0]!.body.error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('one after the other') });
  expect(refused[0]!.headers.get('retry-after')).toBe('1');
});
