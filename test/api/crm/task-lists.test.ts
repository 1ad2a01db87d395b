import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { contact } from '../../support/factories/contact.ts';
import { conversation } from '../../support/factories/conversation.ts';
import { organizationWithKey } from '../../support/factories/organization.ts';
import { person } from '../../support/factories/person.ts';
import { dealRow, recordRow } from '../../support/factories/task-objects.ts';

const app = useApp();
const stranger = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const sql = (text: string, params: unknown[]) => app.rows(text, params);
let [mine, other] = ['', ''];
const objects: Record<string, string> = {};

const create = async (body: object): Promise<string> => {
  const reply = await app.call('crm.tasks.create', { body });
  expect(reply.status).toBe(201);
  return reply.body.id;
};

beforeAll(async () => {
  const own = app.tenant.organizationId;
  mine = (await person(app.em(), own)).userId;
  other = (await person(app.em(), own)).userId;
  objects.contact = (await contact(app.em(), own)).id;
  objects.conversation = (await conversation(app.em(), own)).id;
  objects.deal = await dealRow(sql, own);
  objects.company = await recordRow(sql, own, 'company');
  const about = (kind: string) => ({ targets: [{ object_kind: kind, object_id: objects[kind] }] });
  await create({ title: 'Overdue', assignee_id: mine, due_at: inHours(-2), priority: 'high', ...about('contact') });
  await create({ title: 'Today', assignee_id: mine, due_at: inHours(2), status: 'in_progress', ...about('conversation') });
  await create({ title: 'Later', assignee_id: other, due_at: inHours(50), ...about('deal') });
  await create({ title: 'Someday', description: 'the Müller contract', ...about('company') });
  await create({ title: 'Finished', assignee_id: mine, due_at: inHours(-5), status: 'done', ...about('contact') });
  const binned = await create({ title: 'Binned', assignee_id: mine, ...about('contact') });
  await app.call('crm.tasks.delete', { params: { taskID: binned } });
});

type Query = Record<string, string | number | boolean>;
const list = (query: Query = {}) => app.call('crm.tasks.list', { query });
const titles = ({ body }: Body) => body.items.map(({ title }: Body) => title);
const listed = async (query: Query) => titles(await list(query));

describe('the work list', () => {
  test('newest first, without the bin', async () => {
    const { body } = await list({ include_total: true });
    expect(titles({ body })).toEqual(['Finished', 'Someday', 'Later', 'Today', 'Overdue']);
    expect(body.meta).toEqual({ has_more: false, limit: 25, total: 5 });
  });

  test.each<[string, () => Query, string[]]>([
    ['one status', () => ({ status: 'done' }), ['Finished']],
    ['several statuses', () => ({ status: 'open, in_progress' }), ['Someday', 'Later', 'Today', 'Overdue']],
    ['mine', () => ({ assignee_id: mine, status: 'open,in_progress' }), ['Today', 'Overdue']],
    ['nobody’s', () => ({ filters: '[{"field":"assignee_id","operator":"is_empty"}]' }), ['Someday']],
    ['overdue', () => ({ due_before: inHours(0), status: 'open,in_progress' }), ['Overdue']],
    ['due today and tomorrow', () => ({ due_after: inHours(0), due_before: inHours(24) }), ['Today']],
    ['due later than now', () => ({ due_after: inHours(0) }), ['Later', 'Today']],
    ['without a time', () => ({ filters: '[{"field":"due_at","operator":"is_empty"}]' }), ['Someday']],
    [
      'not at that time',
      () => ({ filters: `[{"field":"due_at","operator":"is_not_empty"}]`, status: 'open' }),
      ['Later', 'Overdue'],
    ],
    ['a priority', () => ({ filters: '[{"field":"priority","value":"high"}]' }), ['Overdue']],
    ['words of the title', () => ({ search: 'over' }), ['Overdue']],
    ['words of the description', () => ({ search: 'muller contract' }), ['Someday']],
    [
      'a filter and a parameter together',
      () => ({ status: 'open', filters: `[{"field":"assignee_id","value":"${other}"}]` }),
      ['Later'],
    ],
  ])('%s', async (_, query, expected) => {
    expect(await listed(query())).toEqual(expected);
  });

  test.each<[string, string[]]>([
    ['contact', ['Finished', 'Overdue']],
    ['conversation', ['Today']],
    ['deal', ['Later']],
    ['company', ['Someday']],
  ])('about a %s', async (kind, expected) => {
    expect(await listed({ object_kind: kind, object_id: objects[kind]! })).toEqual(expected);
  });

  test('about what is not there: nothing, and no 404', async () => {
    for (const kind of ['contact', 'deal', 'company'])
      expect(await listed({ object_kind: kind, object_id: stranger })).toEqual([]);
    // Of another kind.
    expect(await listed({ object_kind: 'company', object_id: objects.deal! })).toEqual([]);
  });

  test('in the order of their time, those without one last, page by page', async () => {
    const order = ['Finished', 'Overdue', 'Today', 'Later', 'Someday'];
    for (const [sort, expected] of [
      ['due_at', order],
      ['-due_at', order.toReversed()],
    ] as const) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const { body } = await list({ sort, limit: 1, ...(cursor && { cursor }) });
        seen.push(...titles({ body }));
        cursor = body.meta.next_cursor;
      } while (cursor);
      expect([sort, seen]).toEqual([sort, expected]);
    }
  });

  test('a cursor goes with the query that gave it', async () => {
    const { body } = await list({ status: 'open', limit: 1 });
    const cursor = body.meta.next_cursor;
    expect((await list({ status: 'open', limit: 1, cursor })).status).toBe(200);
    expect((await list({ status: 'done', limit: 1, cursor })).status).toBe(400);
    expect((await list({ sort: 'due_at', limit: 1, cursor })).status).toBe(400);
  });

  test.each<[string, Query, number]>([
    ['an unknown status', { status: 'waiting' }, 422],
    ['an empty one among several', { status: 'open,' }, 422],
    ['an assignee that is no id', { assignee_id: 'me' }, 422],
    ['a time that is none', { due_before: 'tomorrow' }, 422],
    ['a kind that is none', { object_kind: 'invoice', object_id: stranger }, 422],
    ['a kind without an id', { object_kind: 'contact' }, 422],
    ['an id without a kind', { object_id: stranger }, 422],
    ['an unknown parameter', { state: 'open' }, 422],
    ['a sort without an index', { sort: 'title' }, 422],
    ['filters that are no JSON', { filters: 'open' }, 400],
    ['a filter on an unknown field', { filters: '[{"field":"__proto__","value":"x"}]' }, 422],
    ['a filter of another type', { filters: '[{"field":"due_at","value":7}]' }, 422],
    ['21 filters', { filters: JSON.stringify(Array.from({ length: 21 }, () => ({ field: 'status', value: 'open' }))) }, 422],
  ])('%s is refused', async (_, query, status) => {
    expect((await list(query)).status).toBe(status);
  });

  test('wildcards and SQL are plain words', async () => {
    for (const search of ['%', '_', `'; drop table crm_tasks; --`, '100%']) expect((await list({ search })).status).toBe(200);
    expect(await listed({ filters: '[{"field":"title","operator":"contains","value":"%"}]' })).toEqual([]);
  });

  test('another organization sees nothing of it', async () => {
    const { key } = await organizationWithKey(app.em());
    const reply = await app.call('crm.tasks.list', { key, query: { object_kind: 'contact', object_id: objects.contact! } });
    expect(reply.body.items).toEqual([]);
  });
});

describe('the tasks about one record', () => {
  const routes: [string, string, string, string[]][] = [
    ['contacts.tasks.list', 'contactID', 'contact', ['Finished', 'Overdue']],
    ['conversations.tasks.list', 'conversationID', 'conversation', ['Today']],
    ['crm.deals.tasks.list', 'dealID', 'deal', ['Later']],
  ];

  test.each(routes)('%s', async (operation, param, kind, expected) => {
    const reply = await app.call(operation, { params: { [param]: objects[kind]! }, query: { limit: 1 } });
    expect(reply.body.meta.has_more).toBe(expected.length > 1);
    const all = await app.call(operation, { params: { [param]: objects[kind]! } });
    expect(titles(all)).toEqual(expected);
    expect((await app.call(operation, { params: { [param]: stranger } })).status).toBe(404);
  });
});
