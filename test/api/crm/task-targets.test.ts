import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { contact } from '../../support/factories/contact.ts';
import { conversation } from '../../support/factories/conversation.ts';
import { organizationWithKey } from '../../support/factories/organization.ts';
import { dealRow, recordRow } from '../../support/factories/task-objects.ts';
import { storedDeals, storedRecords, storedTaskTargets } from '../../support/stored/crm.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp();
const own = () => app.tenant.organizationId;
const sql = (text: string, params: unknown[]) => app.rows(text, params);
let taskId: string;

beforeEach(async () => {
  taskId = (await app.call('crm.tasks.create', { body: { title: 'Call' } })).body.id;
});

const add = (object_kind: string, object_id: string) =>
  app.call('crm.tasks.targets.create', { params: { taskID: taskId }, body: { object_kind, object_id } });
const remove = (targetID: string) => app.call('crm.tasks.targets.delete', { params: { taskID: taskId, targetID } });
const task = async (): Promise<Body> => (await app.call('crm.tasks.get', { params: { taskID: taskId } })).body;
const contactOf = async (organizationId = own()) => (await contact(app.em(), organizationId)).id;

describe('what a task is about', () => {
  test('an object of each kind, in the order in which they came; the first is the task’s own', async () => {
    const ids = {
      company: await recordRow(sql, own(), 'company'),
      deal: await dealRow(sql, own()),
      conversation: (await conversation(app.em(), own())).id,
      contact: await contactOf(),
    };
    for (const [kind, id] of Object.entries(ids)) expect((await add(kind, id)).status).toBe(201);
    const shown = await task();
    const targets = Object.entries(ids).map(([object_kind, object_id]) => ({ object_kind, object_id }));
    expect(shown).toMatchObject({ ...targets[0], targets, revision: 5 });
    for (const target of shown.targets) {
      for (const name of ['id', 'object_id', 'object_kind', 'created_at', 'updated_at', 'created_by'])
        expect([name, typeof target[name]]).toEqual([name, 'string']);
      expect(target.created_at).toMatch(/Z$/);
    }
  });

  test('added twice it is the same row, and no change', async () => {
    const id = await contactOf();
    const [first, second] = [await add('contact', id), await add('contact', id)];
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body).toEqual(first.body);
    expect(await task()).toMatchObject({ revision: 2 });
  });

  test('twice in the body of a new task it is one', async () => {
    const target = { object_kind: 'contact', object_id: await contactOf() };
    const { body } = await app.call('crm.tasks.create', { body: { title: 'Once', targets: [target, target] } });
    expect(body.targets).toHaveLength(1);
    const [line] = (await app.call('crm.tasks.history', { params: { taskID: body.id } })).body.items;
    expect(line.changes.targets).toEqual({ from: [], to: [target.object_id] });
  });

  test('at the same moment from many clients it is one row', async () => {
    const id = await contactOf();
    const replies = await Promise.all(Array.from({ length: 8 }, () => add('contact', id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
    expect((await task()).targets).toHaveLength(1);
  });

  test('it comes and goes with an event and a line of history that name the other end', async () => {
    const id = await contactOf();
    const target = (await add('contact', id)).body;
    expect((await remove(target.id)).status).toBe(204);
    expect((await remove(target.id)).status).toBe(404);
    expect(await task()).toMatchObject({ targets: [], revision: 3 });
    const { items } = (await app.call('crm.tasks.history', { params: { taskID: taskId } })).body;
    expect(items.slice(0, 2).map(({ changes }: Body) => changes)).toEqual([
      { targets: { from: [id], to: [] } },
      { targets: { from: [], to: [id] } },
    ]);
    expect((await app.events(taskId)).slice(1).map(({ type, data }) => [type, data.changed])).toEqual([
      ['task.updated', ['targets']],
      ['task.updated', ['targets']],
    ]);
  });

  test('one more than fifty is refused', async () => {
    const targets = [];
    for (let count = 0; count < 50; count += 1) targets.push({ object_kind: 'contact', object_id: await contactOf() });
    taskId = (await app.call('crm.tasks.create', { body: { title: 'Many', targets } })).body.id;
    const refused = await add('contact', await contactOf());
    expect([refused.status, refused.body.error.code]).toEqual([422, 'limit_reached']);
    expect((await task()).targets).toHaveLength(50);
  });

  test('a foreign object is a 422 at its id, a kind that is none at its kind', async () => {
    const other = await organizationWithKey(app.em());
    const foreign = await add('contact', await contactOf(other.organizationId));
    expect(foreign.body.error.details).toMatchObject([{ field: 'object_id', code: 'object.unknown' }]);
    const none = await add('invoice', await contactOf());
    expect(none.body.error.details).toMatchObject([{ field: 'object_kind', code: 'kind.unknown' }]);
    expect([foreign.status, none.status]).toEqual([422, 422]);
  });

  test('what is put into the bin is left out, and there again when it is restored', async () => {
    const [deal, record] = [await dealRow(sql, own()), await recordRow(sql, own(), 'ship')];
    for (const [kind, id] of [
      ['deal', deal],
      ['ship', record],
    ] as const)
      await add(kind, id);
    const setBin = (deleted_at: string | null) =>
      Promise.all([storedDeals.change(app, deal, { deleted_at }), storedRecords.change(app, record, { deleted_at })]);
    await setBin(now());
    const binned = await task();
    expect(binned.targets).toEqual([]);
    expect(binned).not.toHaveProperty('object_id');
    await setBin(null);
    expect((await task()).targets).toHaveLength(2);
  });
});

const create = async (...targets: object[]): Promise<string> =>
  (await app.call('crm.tasks.create', { body: { title: 'Call', targets } })).body.id;
const historyOf = async (id: string): Promise<Body[]> =>
  (await app.call('crm.tasks.history', { params: { taskID: id } })).body.items.reverse();
/** What the task is about as its history tells it, whatever the order. */
async function replayed(id: string): Promise<string[]> {
  const about = new Set<string>();
  for (const [index, { changes, revision }] of (await historyOf(id)).entries()) {
    expect(revision).toBe(index + 1);
    const { from, to } = changes.targets ?? { from: [], to: [] };
    for (const one of from) expect([one, about.delete(one)]).toEqual([one, true]);
    for (const one of to) about.add(one);
  }
  return [...about].sort();
}
const about = ({ targets }: Body): string[] => targets.map(({ object_id }: Body) => object_id).sort();

describe('a merge of two people', () => {
  const merge = (id: string, other: string) =>
    app.call('contacts.merge', { params: { contactID: id }, body: { contact_id: other } });

  test('who write on one channel: their tasks are about the one that is left, and their history tells it', async () => {
    const channel = await app.connect();
    const [older, newer] = [await app.conversation(channel), await app.conversation(channel)];
    const [of, ofNewer] = [older, newer].map(({ id, contactId }) => [
      { object_kind: 'contact', object_id: contactId },
      { object_kind: 'conversation', object_id: id },
    ]) as [object[], object[]];
    const [moved, both] = [await create(...ofNewer), await create(...of, ...ofNewer)];
    const { updated_at } = (await app.call('crm.tasks.get', { params: { taskID: moved } })).body;
    expect((await merge(older.contactId, newer.contactId)).status).toBe(200);
    for (taskId of [moved, both]) {
      const now = await task();
      expect(now).toMatchObject({ targets: of, revision: 3 });
      expect(now.targets).toHaveLength(2);
      expect(now.updated_at > updated_at).toBe(true);
      expect(await replayed(taskId)).toEqual(about(now));
      const doubled = taskId === both;
      expect((await historyOf(taskId)).slice(1)).toMatchObject([
        { actor: `key:${app.tenant.keyId}`, changes: { targets: { from: [newer.id], to: doubled ? [] : [older.id] } } },
        { event_id: null, changes: { targets: { from: [newer.contactId], to: doubled ? [] : [older.contactId] } } },
      ]);
    }
  });

  test('and changes of their tasks at the same time: no error but for what is gone, and the history replays', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [survivor, merged] = [await contactOf(), await contactOf()].sort() as [string, string];
      taskId = await create({ object_kind: 'contact', object_id: merged });
      const [target] = (await task()).targets;
      const update = (title: string) => app.call('crm.tasks.update', { params: { taskID: taskId }, body: { title } });
      const replies = await Promise.all([
        merge(survivor, merged),
        update('One'),
        update('Two'),
        add('contact', survivor),
        add('contact', merged),
        ...(round % 2 === 0 ? [remove(target.id)] : []),
      ]);
      const [first, second, third, fourth, late, removed] = replies.map(({ status }) => status);
      expect([first, second, third]).toEqual([200, 200, 200]);
      expect([200, 201]).toContain(fourth);
      expect([200, 201, 422]).toContain(late);
      expect([undefined, 204, 404]).toContain(removed);
      const now = await task();
      expect(await replayed(taskId)).toEqual(about(now));
      expect(await historyOf(taskId)).toHaveLength(now.revision);
      expect(about(now).includes(merged)).toBe(false);
    }
  });
});

test('an erased person is taken from the tasks that are about others too, and their history tells it', async () => {
  const [person, other] = [await contactOf(), await contactOf()];
  taskId = await create(...[person, other].map((object_id) => ({ object_kind: 'contact', object_id })));
  expect((await app.call('contacts.delete', { params: { contactID: person } })).status).toBe(204);
  const now = await task();
  expect(now).toMatchObject({ targets: [{ object_id: other }], revision: 2 });
  expect(await replayed(taskId)).toEqual([other]);
  expect((await historyOf(taskId)).at(-1)).toMatchObject({
    actor: 'system',
    event_id: null,
    changes: { targets: { from: [person], to: [] } },
  });
});

describe('the database itself refuses', () => {
  const insert = (columns: Record<string, unknown>) => {
    return storedTaskTargets.add(app, { organization_id: own(), task_id: taskId, ...columns });
  };

  test.each(['contact', 'conversation', 'deal', 'record'])('a foreign %s', async (kind) => {
    const other = (await organizationWithKey(app.em())).organizationId;
    const foreign = {
      contact: () => contactOf(other),
      conversation: async () => (await conversation(app.em(), other)).id,
      deal: () => dealRow(sql, other),
      record: () => recordRow(sql, other, 'company'),
    }[kind]!;
    await expect(insert({ [`${kind}_id`]: await foreign() })).rejects.toThrow(/foreign key/);
  });

  test('a target without an object, and one of two objects', async () => {
    await expect(insert({})).rejects.toThrow(/not-null constraint/);
    await expect(insert({ contact_id: await contactOf(), deal_id: await dealRow(sql, own()) })).rejects.toThrow(
      /check constraint/,
    );
  });

  test('the same object twice', async () => {
    const id = await contactOf();
    await insert({ contact_id: id });
    await expect(insert({ contact_id: id })).rejects.toThrow(/task_targets_once/);
  });
});
