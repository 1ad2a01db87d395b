import { beforeAll, describe, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Body, useApp } from '../../support/app.ts';
import { contact } from '../../support/factories/contact.ts';
import { organizationWithKey } from '../../support/factories/organization.ts';
import { person } from '../../support/factories/person.ts';
import { dealRow, recordRow } from '../../support/factories/task-objects.ts';
import { storedMemberships } from '../../support/stored/accounts.ts';
import { storedDeals, storedTasks } from '../../support/stored/crm.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp();
const stranger = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const paragraph = (text: string) => ({
  type: 'prosemirror',
  json: { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text }] }] },
});
let member: string;

beforeAll(async () => {
  member = (await person(app.em(), app.tenant.organizationId)).userId;
});

const at = (id: string) => ({ params: { taskID: id } });
const create = (body: object) => app.call('crm.tasks.create', { body: { title: 'Call', ...body } });
const made = async (body: object = {}): Promise<Body> => {
  const reply = await create(body);
  expect(reply.status).toBe(201);
  return reply.body;
};
const get = async (id: string): Promise<Body> => (await app.call('crm.tasks.get', at(id))).body;
const patch = (id: string, body: object) => app.call('crm.tasks.update', { ...at(id), body });
const act = (id: string, act: 'complete' | 'reopen' | 'restore' | 'delete') => app.call(`crm.tasks.${act}`, at(id));
const eventsOf = async (id: string) => (await app.events(id)).map(({ type, data }) => [type, data.changed]);
const history = async (id: string): Promise<Body[]> => (await app.call('crm.tasks.history', at(id))).body.items;
const remindersOf = (id: string) =>
  app.rows(`select id, run_at > clock_timestamp() as is_ahead from jobs where subject_id = $1 and name = 'tasks.remind'`, [id]);
const target = async () => (await contact(app.em(), app.tenant.organizationId)).id;

describe('a task as the contract shows it', () => {
  const always = ['id', 'title', 'description', 'status', 'created_at', 'updated_at'];

  test('without anything but a title the optional fields are left out', async () => {
    const task = await made();
    expect(Object.keys(task).sort()).toEqual([...always, 'targets', 'created_by', 'priority', 'type', 'revision'].sort());
    for (const name of always) expect([name, typeof task[name]]).toEqual([name, 'string']);
    expect(task).toMatchObject({ description: '', status: 'open', targets: [], priority: 'normal', type: 'todo', revision: 1 });
    expect(task.created_by).toBe(`key:${app.tenant.keyId}`);
  });

  test('with everything', async () => {
    const contactId = await target();
    const [dueAt, remindAt] = [inHours(48), inHours(24)];
    const task = await made({
      description_rich: paragraph('Ask for the address'),
      status: 'done',
      priority: 'urgent',
      type: 'meeting',
      assignee_id: member,
      due_at: dueAt,
      remind_at: remindAt,
      targets: [{ object_kind: 'contact', object_id: contactId }],
    });
    expect(task).toMatchObject({
      description: 'Ask for the address',
      description_rich: { ...paragraph('Ask for the address'), plain_text: 'Ask for the address' },
      status: 'done',
      assignee_id: member,
      due_at: dueAt,
      remind_at: remindAt,
      completed_at: expect.any(String),
      object_id: contactId,
      object_kind: 'contact',
      targets: [{ object_id: contactId, object_kind: 'contact', created_by: `key:${app.tenant.keyId}` }],
    });
    expect(await get(task.id)).toEqual(task);
  });

  test('created twice with the same Idempotency-Key it is one task', async () => {
    const options = { body: { title: 'Once' }, headers: { 'idempotency-key': 'task-once' } };
    const [first, second] = [await app.call('crm.tasks.create', options), await app.call('crm.tasks.create', options)];
    expect(second.body.id).toBe(first.body.id);
  });

  test('plain words take the place of rich text, and null removes both', async () => {
    const task = await made({ description_rich: paragraph('Rich') });
    const plain = (await patch(task.id, { description: 'Plain' })).body;
    expect(plain).toMatchObject({ description: 'Plain' });
    expect(plain).not.toHaveProperty('description_rich');
    const none = (await patch(task.id, { description_rich: null })).body;
    expect(none.description).toBe('');
  });
});

describe('changes', () => {
  test('one change is one revision, one event and one line of history', async () => {
    const task = await made({ due_at: inHours(2) });
    const dueAt = inHours(5);
    const changed = (await patch(task.id, { title: 'Write', due_at: dueAt, priority: 'normal' })).body;
    expect(changed).toMatchObject({ title: 'Write', due_at: dueAt, revision: 2 });
    expect(Date.parse(changed.updated_at)).toBeGreaterThan(Date.parse(task.updated_at));
    expect(await eventsOf(task.id)).toEqual([
      ['task.created', ['title', 'due_at']],
      ['task.updated', ['title', 'due_at']],
    ]);
    const [last, first] = await history(task.id);
    expect(first).toMatchObject({ revision: 1, changes: { title: { from: null, to: 'Call' } } });
    expect(last).toMatchObject({
      revision: 2,
      actor: `key:${app.tenant.keyId}`,
      event_id: expect.any(String),
      changes: { title: { from: 'Call', to: 'Write' }, due_at: { from: task.due_at, to: dueAt } },
    });
  });

  test('what is there already is no change', async () => {
    const dueAt = inHours(2);
    const task = await made({ due_at: dueAt, assignee_id: member, description_rich: paragraph('Same') });
    const same = {
      title: 'Call',
      due_at: dueAt.replace('Z', '+00:00'),
      assignee_id: member,
      description_rich: paragraph('Same'),
    };
    expect((await patch(task.id, same)).body).toEqual(task);
    expect(await eventsOf(task.id)).toHaveLength(1);
    expect(await history(task.id)).toHaveLength(1);
  });

  test('with a stale revision it is a 409 that names the present one, and nothing changes', async () => {
    const task = await made();
    await patch(task.id, { title: 'Second', revision: 1 });
    const stale = await patch(task.id, { title: 'Third', revision: 1 });
    expect(stale.status).toBe(409);
    expect(stale.body.error).toMatchObject({ code: 'conflict', details: [{ field: 'revision', code: 'revision.stale' }] });
    expect(stale.body.error.message).toContain('2');
    expect(await get(task.id)).toMatchObject({ title: 'Second', revision: 2 });
  });

  test('of two writers with one revision, one wins', async () => {
    const task = await made();
    const replies = await Promise.all(['A', 'B', 'C', 'D'].map((title) => patch(task.id, { title, revision: 1 })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect((await get(task.id)).revision).toBe(2);
  });

  test('done has its time, and any other status none', async () => {
    const task = await made();
    const done = (await act(task.id, 'complete')).body;
    expect(done).toMatchObject({ status: 'done', completed_at: expect.any(String), revision: 2 });
    expect((await act(task.id, 'complete')).body).toEqual(done);
    const progress = (await patch(task.id, { status: 'in_progress' })).body;
    expect(progress).not.toHaveProperty('completed_at');
    expect((await act(task.id, 'reopen')).body).toEqual(progress);
    await patch(task.id, { status: 'cancelled' });
    expect((await act(task.id, 'reopen')).body).toMatchObject({ status: 'open', revision: 5 });
    expect(await eventsOf(task.id)).toEqual([
      ['task.created', ['title']],
      ['task.updated', ['status', 'completed_at']],
      ['task.completed', ['status', 'completed_at']],
      ['task.updated', ['status', 'completed_at']],
      ['task.updated', ['status']],
      ['task.updated', ['status']],
    ]);
  });

  test('a member who leaves has no task any more', async () => {
    const leaving = (await person(app.em(), app.tenant.organizationId)).userId;
    const task = await made({ assignee_id: leaving });
    await storedMemberships.remove(app, { user_id: leaving });
    expect(await get(task.id)).not.toHaveProperty('assignee_id');
  });

  test('the history is read in pages, to its beginning', async () => {
    const task = await made();
    for (const title of ['B', 'C', 'D']) await patch(task.id, { title });
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await app.call('crm.tasks.history', { ...at(task.id), query: { limit: 2, ...(cursor && { cursor }) } });
      seen.push(...body.items.map((one: Body) => one.revision));
      cursor = body.meta.next_cursor;
    } while (cursor);
    expect(seen).toEqual([4, 3, 2, 1]);
  });
});

describe('the bin', () => {
  test('a deleted task is nowhere, and deleting it again is a 404', async () => {
    const task = await made();
    expect((await act(task.id, 'delete')).status).toBe(204);
    for (const reply of [
      await act(task.id, 'delete'),
      await app.call('crm.tasks.get', at(task.id)),
      await act(task.id, 'complete'),
    ])
      expect(reply.status).toBe(404);
    expect((await patch(task.id, { title: 'X' })).status).toBe(404);
    expect((await app.call('crm.tasks.history', at(task.id))).status).toBe(404);
    const listed = await app.call('crm.tasks.list', { query: { filters: JSON.stringify([{ field: 'id', value: task.id }]) } });
    expect(listed.body.items).toEqual([]);
    expect((await eventsOf(task.id)).at(-1)).toEqual(['task.deleted', ['deleted_at']]);
  });

  test('a restored task is as it was', async () => {
    const task = await made({ targets: [{ object_kind: 'contact', object_id: await target() }] });
    await act(task.id, 'delete');
    const restored = (await act(task.id, 'restore')).body;
    expect(restored).toEqual({ ...task, revision: 3, updated_at: restored.updated_at });
    expect((await act(task.id, 'restore')).body).toEqual(restored);
    expect((await eventsOf(task.id)).at(-1)).toEqual(['task.created', ['deleted_at']]);
  });
});

describe('reminders', () => {
  test('one job waits for each task with a time ahead', async () => {
    const task = await made({ due_at: inHours(5) });
    expect(await remindersOf(task.id)).toEqual([{ id: expect.any(String), is_ahead: true }]);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('a time that is past when it is set reminds nobody', async () => {
    const task = await made({ due_at: inHours(-1) });
    expect(await remindersOf(task.id)).toEqual([]);
    await patch(task.id, { due_at: inHours(-2) });
    expect(await remindersOf(task.id)).toEqual([]);
  });

  test('another time replaces the job, the same time keeps it', async () => {
    const [dueAt, remindAt] = [inHours(5), inHours(1)];
    const task = await made({ due_at: dueAt });
    const [first] = await remindersOf(task.id);
    await patch(task.id, { title: 'Later', remind_at: dueAt });
    expect(await remindersOf(task.id)).toEqual([first]);
    await patch(task.id, { remind_at: remindAt });
    const [second, ...more] = await remindersOf(task.id);
    expect([second!.id === first!.id, more]).toEqual([false, []]);
    await patch(task.id, { due_at: inHours(9) });
    expect(await remindersOf(task.id)).toEqual([second]);
    await patch(task.id, { remind_at: null, due_at: null });
    expect(await remindersOf(task.id)).toEqual([]);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test.each<['complete' | 'delete', 'reopen' | 'restore']>([
    ['complete', 'reopen'],
    ['delete', 'restore'],
  ])('after %s it does not remind, after %s it does again', async (away, back) => {
    const task = await made({ due_at: inHours(5) });
    await act(task.id, away);
    expect(await remindersOf(task.id)).toEqual([]);
    await act(task.id, back);
    expect(await remindersOf(task.id)).toHaveLength(1);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('a cancelled task does not remind', async () => {
    const task = await made({ due_at: inHours(5) });
    await patch(task.id, { status: 'cancelled' });
    expect(await remindersOf(task.id)).toEqual([]);
  });
});

describe('bad input changes nothing', () => {
  const cases: [string, () => Promise<object> | object, string][] = [
    ['no title', () => ({ title: undefined }), 'title'],
    ['a blank title', () => ({ title: '  ' }), 'title'],
    ['a long title', () => ({ title: 'x'.repeat(201) }), 'title'],
    ['an unknown status', () => ({ status: 'waiting' }), 'status'],
    ['an unknown priority', () => ({ priority: 'none' }), 'priority'],
    ['an unknown type', () => ({ type: 'email' }), 'type'],
    ['an assignee who is no member', () => ({ assignee_id: stranger }), 'assignee_id'],
    ['an assignee of another organization', foreignMember, 'assignee_id'],
    ['30 February', () => ({ due_at: '2026-02-30' }), 'due_at'],
    ['the year 10000', () => ({ due_at: '10000-01-01T00:00:00Z' }), 'due_at'],
    ['a time without zone', () => ({ remind_at: '2026-12-01T09:00:00' }), 'remind_at'],
    ['its own completed_at', () => ({ completed_at: inHours(0) }), 'completed_at'],
    ['words twice', () => ({ description: 'a', description_rich: paragraph('b') }), ''],
    ['rich text without json', () => ({ description_rich: { type: 'prosemirror' } }), 'description_rich.json'],
    ['rich text of no type', () => ({ description_rich: { type: 'html', json: {} } }), 'description_rich.type'],
    ['custom without plain_text', () => ({ description_rich: { type: 'custom', json: [] } }), 'description_rich.plain_text'],
    [
      'a document with its own plain_text',
      () => ({ description_rich: { ...paragraph('a'), plain_text: 'b' } }),
      'description_rich.plain_text',
    ],
    [
      'a custom text of 64 kB and more',
      () => ({ description_rich: { type: 'custom', json: 'x'.repeat(65_535), plain_text: '' } }),
      'description_rich.json',
    ],
    [
      '51 targets',
      () => ({ targets: Array.from({ length: 51 }, () => ({ object_kind: 'contact', object_id: stranger })) }),
      'targets',
    ],
    ['a target without kind', () => ({ targets: [{ object_id: stranger }] }), 'targets[0].object_kind'],
    [
      'a missing target',
      async () => ({
        targets: [
          { object_kind: 'contact', object_id: await target() },
          { object_kind: 'contact', object_id: stranger },
        ],
      }),
      'targets[1].object_id',
    ],
    ['a foreign target', foreignTarget, 'targets[0].object_id'],
    ...['task', 'record', '__proto__', 'constructor', 'Company', '🙂', 'nothing'].map((kind): (typeof cases)[number] => [
      `the kind ${kind}`,
      () => ({ targets: [{ object_kind: kind, object_id: stranger }] }),
      'targets[0].object_kind',
    ]),
    [
      'a deal in the bin',
      async () => {
        const dealId = await dealRow(app.rows.bind(app), app.tenant.organizationId);
        await storedDeals.change(app, dealId, { deleted_at: now() });
        return { targets: [{ object_kind: 'deal', object_id: dealId }] };
      },
      'targets[0].object_id',
    ],
    [
      'a record of another kind',
      async () => {
        const recordId = await recordRow(app.rows.bind(app), app.tenant.organizationId, 'boat');
        await recordRow(app.rows.bind(app), app.tenant.organizationId, 'plane');
        return { targets: [{ object_kind: 'plane', object_id: recordId }] };
      },
      'targets[0].object_id',
    ],
  ];

  async function foreignMember() {
    const other = await organizationWithKey(app.em());
    return { assignee_id: (await person(app.em(), other.organizationId)).userId };
  }
  async function foreignTarget() {
    const other = await organizationWithKey(app.em());
    return { targets: [{ object_kind: 'contact', object_id: (await contact(app.em(), other.organizationId)).id }] };
  }

  test.each(cases)('%s is a 422 at its field', async (_, body, field) => {
    const wrong = await body();
    const count = async () => await storedTasks.count(app);
    const before = await count();
    const reply = await create(wrong);
    expect([reply.status, reply.body.error.code]).toEqual([422, 'invalid_request']);
    if (field) expect(reply.body.error.details.map((detail: Body) => detail.field)).toContain(field);
    expect(await count()).toBe(before);
  });

  test('a patch that is wrong leaves the task as it is', async () => {
    const task = await made({ description_rich: paragraph('Stays') });
    const wrong = [
      {},
      { title: null },
      { revision: 0 },
      { assignee_id: stranger },
      { targets: [] },
      { title: 'X', description_rich: { type: 'prosemirror', json: { type: 'table' } } },
    ];
    for (const body of wrong) expect((await patch(task.id, body)).status).toBe(422);
    expect(await get(task.id)).toEqual(task);
    expect(await history(task.id)).toHaveLength(1);
  });

  test('an unknown task is a 404 for each endpoint', async () => {
    for (const id of [stranger, 'no-id']) {
      expect((await app.call('crm.tasks.get', at(id))).status).toBe(404);
      expect((await patch(id, { title: 'X' })).status).toBe(404);
      for (const name of ['complete', 'reopen', 'restore', 'delete'] as const) expect((await act(id, name)).status).toBe(404);
    }
  });
});
