import { expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { person, sessionHeaders } from '../../support/factories/person.ts';

const app = useApp();
const objectKind = 'company';
const create = async (fields: object) =>
  (await app.call('crm.records.create', { params: { objectKind }, body: { fields } })).body;
const list = (recordID: string, query: Record<string, string | number> = {}, key?: string) =>
  app.call('crm.records.history', { params: { objectKind, recordID }, query, key });

test('newest first, by a cursor that is of this record alone', async () => {
  const { id: recordID } = await create({ name: 'Engines' });
  for (const employees of [1, 2])
    await app.call('crm.records.update', { params: { objectKind, recordID }, body: { fields: { employees } } });
  const first = (await list(recordID, { limit: 2 })).body;
  expect([first.items.map(({ revision }: Body) => revision), first.meta.has_more]).toEqual([[3, 2], true]);
  const cursor = first.meta.next_cursor;
  const second = (await list(recordID, { limit: 2, cursor })).body;
  expect([second.items.map(({ revision }: Body) => revision), second.meta.has_more]).toEqual([[1], false]);
  const { id: other } = await create({ name: 'Other' });
  expect((await list(other, { cursor })).status).toBe(400);
});

test('a person who changed something is the actor', async () => {
  const { id: recordID } = await create({ name: 'Engines' });
  const { userId } = await person(app.em(), app.tenant.organizationId);
  const { headers } = await sessionHeaders(app.em(), userId, app.base);
  await app.call('crm.records.update', {
    key: null,
    headers,
    params: { objectKind, recordID },
    body: { fields: { employees: 3 } },
  });
  const [change] = (await list(recordID)).body.items;
  expect([change.actor, change.changes]).toEqual([`user:${userId}`, { employees: { from: null, to: 3 } }]);
});

test('of a record that is not there, in the bin, or of another organization: 404; of a kind with its own table: 422', async () => {
  const { id: recordID } = await create({ name: 'Engines' });
  const { key } = await app.organization();
  expect((await list(recordID, {}, key)).status).toBe(404);
  await app.call('crm.records.delete', { params: { objectKind, recordID } });
  expect([(await list(recordID)).status, (await list('nothing')).status]).toEqual([404, 404]);
  expect((await app.call('crm.records.history', { params: { objectKind: 'contact', recordID } })).status).toBe(422);
});
