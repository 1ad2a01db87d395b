import { expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { person, sessionHeaders } from '../../support/factories/person.ts';
import { storedEvents } from '../../support/stored/api-events.ts';

const app = useApp({});
const stranger = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';

const create = async (): Promise<string> => (await app.call('crm.deals.create', { body: { title: 'First' } })).body.id;
const history = async (dealID: string, query = {}): Promise<Body> =>
  (await app.call('crm.deals.history', { params: { dealID }, query })).body;

test('each change with who made it, last first, by pages', async () => {
  const { userId } = await person(app.em(), app.tenant.organizationId);
  const { headers } = await sessionHeaders(app.em(), userId, app.base);
  const dealID = await create();
  await app.call('crm.deals.update', { params: { dealID }, body: { title: 'Second' } });
  await app.call('crm.deals.update', { key: null, headers, params: { dealID }, body: { title: 'Third' } });
  const whole = await history(dealID);
  expect(whole.items.map(({ revision, actor }: Body) => [revision, actor])).toEqual([
    [3, `user:${userId}`],
    [2, `key:${app.tenant.keyId}`],
    [1, `key:${app.tenant.keyId}`],
  ]);
  expect(whole.items.map(({ changes }: Body) => changes.title)).toEqual([
    { from: 'Second', to: 'Third' },
    { from: 'First', to: 'Second' },
    { from: null, to: 'First' },
  ]);
  const events = await storedEvents.all(app, { subject_id: dealID }, { columns: ['id'], orderBy: ['seq', 'desc'] });
  expect(whole.items.map(({ event_id }: Body) => event_id)).toEqual(events.map(({ id }) => id));
  const first = await history(dealID, { limit: 2 });
  expect([first.items, first.meta.has_more]).toEqual([whole.items.slice(0, 2), true]);
  expect((await history(dealID, { limit: 2, cursor: first.meta.next_cursor })).items).toEqual(whole.items.slice(2));
});

test('404 for a deal that is nobody’s, another’s or in the bin; 400 for the cursor of another deal', async () => {
  const { key } = await app.organization();
  const foreign = (await app.call('crm.deals.create', { key, body: { title: 'Foreign' } })).body.id;
  const [one, two] = [await create(), await create()];
  await app.call('crm.deals.update', { params: { dealID: one }, body: { title: 'Other' } });
  const { meta } = await history(one, { limit: 1 });
  const ask = (dealID: string, query = {}) => app.call('crm.deals.history', { params: { dealID }, query });
  expect((await ask(two, { cursor: meta.next_cursor })).status).toBe(400);
  await app.call('crm.deals.delete', { params: { dealID: two } });
  for (const dealID of [foreign, stranger, two, 'no-uuid']) expect((await ask(dealID)).status).toBe(404);
});
