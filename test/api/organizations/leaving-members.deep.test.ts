import { beforeEach, expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { channel } from '../../support/factories/channel.ts';
import { conversation } from '../../support/factories/conversation.ts';
import { person } from '../../support/factories/person.ts';
import { storedMemberships } from '../../support/stored/accounts.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { storedContacts } from '../../support/stored/contacts.ts';
import { storedDeals, storedHistory, storedTasks } from '../../support/stored/crm.ts';
import { storedConversations } from '../../support/stored/messaging.ts';

const app = useApp();
let tenant: Tenant;
let leaving: string;

beforeEach(async () => {
  tenant = await app.organization();
  await person(app.em(), tenant.organizationId, 'owner');
  leaving = (await person(app.em(), tenant.organizationId, 'agent')).userId;
});

const call = (operation: string, input: object) => app.call(operation as 'crm.deals.create', { key: tenant.key, ...input });
const deal = async (): Promise<string> =>
  (await call('crm.deals.create', { body: { title: 'Deal', owner_user_id: leaving } })).body.id;
const task = async (): Promise<string> =>
  (await call('crm.tasks.create', { body: { title: 'Task', assignee_id: leaving } })).body.id;
const leave = () => call('members.delete', { params: { memberID: leaving } });
const historyOf = async (ids: string[]): Promise<Body[]> =>
  (await storedHistory.all(app, { object_id: ids }, { orderBy: 'revision' }))
    .filter(({ revision }) => revision > 1)
    .toSorted((one, other) => one.object_kind.localeCompare(other.object_kind))
    .map(({ object_kind, revision, event_id, actor, changes }) => ({
      object_kind,
      revision,
      is_told: event_id !== null,
      actor,
      changes,
    }));
const told = async (id: string) => (await app.events(id)).map(({ type, data }) => [type, data.changed]);

test('deals and tasks of a member who leaves change: one revision, one row of history and one event each', async () => {
  const [dealId, taskId] = [await deal(), await task()];
  expect((await leave()).status).toBe(204);
  const { body: shownDeal } = await call('crm.deals.get', { params: { dealID: dealId } });
  expect(shownDeal).toMatchObject({ owner_user_id: null, revision: 2 });
  const { body: shownTask } = await call('crm.tasks.get', { params: { taskID: taskId } });
  expect([shownTask.assignee_id, shownTask.revision]).toEqual([undefined, 2]);
  const actor = `key:${tenant.keyId}`;
  expect(await historyOf([dealId, taskId])).toEqual([
    { object_kind: 'deal', revision: 2, is_told: true, actor, changes: { owner_user_id: { from: leaving, to: null } } },
    { object_kind: 'task', revision: 2, is_told: true, actor, changes: { assignee_id: { from: leaving, to: null } } },
  ]);
  expect((await told(dealId)).at(-1)).toEqual(['deal.updated', ['owner_user_id']]);
  expect((await told(taskId)).at(-1)).toEqual(['task.updated', ['assignee_id']]);
});

test('those in the bin change without an event, and are restored as their history says', async () => {
  const [dealId, taskId] = [await deal(), await task()];
  await call('crm.deals.delete', { params: { dealID: dealId } });
  await call('crm.tasks.delete', { params: { taskID: taskId } });
  expect((await leave()).status).toBe(204);
  const history = await historyOf([dealId, taskId]);
  expect(history.map(({ object_kind, revision, is_told }) => [object_kind, revision, is_told])).toEqual([
    ['deal', 2, true],
    ['deal', 3, false],
    ['task', 2, true],
    ['task', 3, false],
  ]);
  const restored = await call('crm.deals.restore', { params: { dealID: dealId } });
  expect(restored.body).toMatchObject({ owner_user_id: null, revision: 4 });
  const back = await call('crm.tasks.restore', { params: { taskID: taskId } });
  expect([back.body.assignee_id, back.body.revision]).toEqual([undefined, 4]);
});

test('of more than a hundred each gets its revision and its row of history', async () => {
  const of = { organization_id: tenant.organizationId };
  const money = { currency_code: 'USD', home_currency_at_write: 'USD' };
  await storedDeals.addMany(app, 101, () => ({ ...of, ...money, title: 'Deal', status: 'open', owner_user_id: leaving }));
  const task = { title: 'Task', status: 'open', created_by: 'cli' } as const;
  await storedTasks.addMany(app, 101, () => ({ ...of, ...task, assignee_id: leaving }));
  expect((await leave()).status).toBe(204);
  const nobodys = [
    ...(await storedDeals.all(app, { ...of, owner_user_id: null })),
    ...(await storedTasks.all(app, { ...of, assignee_id: null })),
  ];
  expect(nobodys.map(({ revision }) => revision)).toEqual(Array(202).fill(2));
  const history = await storedHistory.all(app, { ...of, revision: 2 });
  expect(history.filter(({ object_kind }) => object_kind === 'deal')).toHaveLength(101);
  expect(history.filter(({ object_kind }) => object_kind === 'task')).toHaveLength(101);
  expect(history.filter(({ event_id }) => event_id !== null)).toEqual([]);
  const changed = new Set(history.map(({ object_id }) => object_id));
  expect(changed).toEqual(new Set(nobodys.map(({ id }) => id)));
});

test('a removal that is refused changes nothing', async () => {
  const dealId = await deal();
  await storedMemberships.change(app, { user_id: leaving }, { role: 'owner' });
  await app.rows(`update memberships set role = 'viewer' where organization_id = $1 and user_id <> $2`, [
    tenant.organizationId,
    leaving,
  ]);
  expect((await leave()).status).toBe(409);
  expect((await call('crm.deals.get', { params: { dealID: dealId } })).body).toMatchObject({
    owner_user_id: leaving,
    revision: 1,
  });
});

test('a deal that gets the member as its owner at the same moment is refused or changes as well', async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, deal));
  const take = (dealID: string) => call('crm.deals.update', { params: { dealID }, body: { owner_user_id: leaving } });
  await Promise.all(ids.map((dealID) => call('crm.deals.update', { params: { dealID }, body: { owner_user_id: null } })));
  const [left, ...taken] = await Promise.all([leave(), ...ids.map(take)]);
  expect(left!.status).toBe(204);
  for (const [index, id] of ids.entries()) {
    const { status } = taken[index]!;
    expect([200, 422]).toContain(status);
    const { body } = await call('crm.deals.get', { params: { dealID: id } });
    expect([body.owner_user_id, body.revision]).toEqual([null, status === 200 ? 4 : 2]);
  }
});

test('conversations of a member who leaves are of nobody, each with its event', async () => {
  const { id: conversationID } = await conversation(app.em(), tenant.organizationId);
  const assigned = await call('conversations.update', { params: { conversationID }, body: { assignee_id: leaving } });
  expect(assigned.status).toBe(200);
  const before = (await told(conversationID)).length;
  expect((await leave()).status).toBe(204);
  const { body } = await call('conversations.get', { params: { conversationID } });
  expect(body.assignee_id).toBeNull();
  expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(assigned.body.updated_at));
  expect((await told(conversationID)).slice(before)).toEqual([['conversation.updated', ['assignee_id']]]);
});

test('of more than a hundred conversations none has an event, and all are of nobody', async () => {
  const { organizationId } = tenant;
  const { id: channelId } = await channel(app.em(), organizationId);
  const people = await storedContacts.addMany(app, 101, () => ({ organization_id: organizationId, name: 'Person' }));
  await storedConversations.addAll(
    app,
    people.map((contact_id) => ({
      organization_id: organizationId,
      channel_id: channelId,
      contact_id,
      status: 'open',
      assignee_id: leaving,
    })),
  );
  expect((await leave()).status).toBe(204);
  const left = await storedConversations.all(app, { organization_id: organizationId }, { columns: ['assignee_id'] });
  expect([left.length, left.every(({ assignee_id }) => assignee_id === null)]).toEqual([101, true]);
  expect(
    await storedEvents.all(app, { organization_id: organizationId, type: 'conversation.updated' }, { columns: ['id'] }),
  ).toEqual([]);
});
