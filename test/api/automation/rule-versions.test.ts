import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { aRule, rulesOf, stepsOf } from '../../support/automation-rules.ts';

const app = useApp();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await app.organization();
});

const { act, draft, published } = rulesOf(app, () => tenant);
const list = (ruleID: string, query: Record<string, string> = {}, key = tenant.key) =>
  app.call('automation.rules.versions.list', { key, params: { ruleID }, query });
const get = (ruleID: string, versionNumber: string, key = tenant.key) =>
  app.call('automation.rules.versions.get', { key, params: { ruleID, versionNumber } });
const numbersIn = ({ items }: Body): number[] => items.map(({ number }: Body) => number);

/** With so many versions. */
async function rule(count: number): Promise<string> {
  const { id } = await published();
  for (let n = 2; n <= count; n += 1) {
    await act('update', id, stepsOf(`tag ${n}`));
    await act('publish', id);
  }
  return id;
}

test('listed newest first, in pages, with who published them', async () => {
  const id = await rule(5);
  const all = await list(id);
  expect(all.body.items[0]).toEqual({ number: 5, published_by: `key:${tenant.keyId}`, created_at: expect.any(String) });
  expect(numbersIn(all.body)).toEqual([5, 4, 3, 2, 1]);
  const first = (await list(id, { limit: '2', include_total: 'true' })).body;
  expect(first.meta).toMatchObject({ has_more: true, total: 5 });
  const second = (await list(id, { limit: '2', cursor: first.meta.next_cursor })).body;
  const last = (await list(id, { limit: '2', cursor: second.meta.next_cursor })).body;
  expect([first, second, last].flatMap(numbersIn)).toEqual([5, 4, 3, 2, 1]);
  expect(last.meta.has_more).toBe(false);
  expect((await list(await rule(1), { cursor: first.meta.next_cursor })).status).toBe(400);
});

test('one is shown whole', async () => {
  const id = await rule(2);
  expect((await get(id, '1')).body).toEqual({
    number: 1,
    published_by: `key:${tenant.keyId}`,
    created_at: expect.any(String),
    trigger: aRule.trigger,
    conditions: null,
    steps: aRule.steps,
    concurrency: 'skip',
    exit_when: null,
    limits: {},
  });
  expect((await get(id, '2')).body.steps[0].tag).toBe('tag 2');
});

describe('refused', () => {
  test.each(['2', '0', '-1', 'x', '1.5', '99999999999'])('the version %s: 404', async (number) => {
    expect((await get(await rule(1), number)).status).toBe(404);
  });

  test('of a draft there is none', async () => {
    const { id } = await draft();
    expect((await list(id)).body.items).toEqual([]);
    expect((await get(id, '1')).status).toBe(404);
  });

  test('of another organization, or without the scope', async () => {
    const id = await rule(1);
    expect([(await list(id, {}, app.tenant.key)).status, (await get(id, '1', app.tenant.key)).status]).toEqual([404, 404]);
    const { key } = await app.key(tenant.organizationId, ['automation:write']);
    expect([(await list(id, {}, key)).status, (await get(id, '1', key)).status]).toEqual([403, 403]);
  });
});
