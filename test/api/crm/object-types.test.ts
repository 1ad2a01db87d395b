import { expect, test } from '@jest/globals';
import { contactView } from '../../../api/contacts/schemas.ts';
import { dealView } from '../../../api/crm/deal-schemas.ts';
import { taskView } from '../../../api/crm/task-schemas.ts';
import { conversationView } from '../../../api/messaging/conversation-schemas.ts';
import { dealStatuses } from '../../../src/deals/deal.entity.ts';
import { conversationStatuses, priorities } from '../../../src/messaging/conversation.entity.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { addField } from '../../../src/records/types/change-fields.ts';
import { companyOf } from '../../../src/records/types/company.ts';
import type { ObjectType } from '../../../src/records/types/definition.ts';
import { typeLane } from '../../../src/records/types/jobs.ts';
import { loadType, typeForWrite } from '../../../src/records/types/object-type.ts';
import { taskTypes } from '../../../src/tasks/task.entity.ts';
import { type Body, useApp } from '../../support/app.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { storedObjectTypes } from '../../support/stored/crm.ts';
import { waitsForLock } from '../../support/stored/locks.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({});
const list = async (query = {}, key?: string) => (await app.call('crm.object-types.list', { query, key })).body;
const get = (objectKind: string, key?: string) => app.call('crm.object-types.get', { params: { objectKind }, key });
const make = (body: object, key?: string) => app.call('crm.object-types.create', { body, key });
const patch = (objectKind: string, body: object, key?: string) =>
  app.call('crm.object-types.update', { params: { objectKind }, body, key });
const remove = (objectKind: string, key?: string) => app.call('crm.object-types.delete', { params: { objectKind }, key });
const ofEveryRecord = ['id', 'custom_fields', 'metadata', 'created_at', 'updated_at'];
const dealMoney = [
  'home_currency_at_write',
  'amount_in_home_currency',
  'display_currency',
  'display_currency_unit',
  'display_currency_minor',
];
const kindsOf = ({ items }: Body) => items.map(({ kind }: Body) => kind);

test('a new organization has the built-in kinds and company, in pages too', async () => {
  const { key } = await app.organization();
  const kinds = ['company', 'contact', 'conversation', 'deal', 'task'];
  const whole = await list({ include_total: true }, key);
  expect(kindsOf(whole)).toEqual(kinds);
  expect(whole.meta).toMatchObject({ has_more: false, total: 5 });
  const first = await list({ limit: 3 }, key);
  const second = await list({ limit: 3, cursor: first.meta.next_cursor }, key);
  expect([...kindsOf(first), ...kindsOf(second)]).toEqual(kinds);
  const contact = (await get('contact', key)).body;
  expect(contact).toMatchObject({ is_builtin: true, is_standard: false });
  expect(contact.relations).toEqual(
    [
      {
        name: 'company',
        inverse_name: 'contacts',
        kind: 'contact',
        cardinality: 'many_to_one',
        on_delete: 'unlink',
        is_inverse: true,
      },
    ].map((one) => ({ ...one, kind: 'company' })),
  );
});

test.each([
  ['contact', contactView, [], []],
  ['conversation', conversationView, ['group_id'], ['is_unread']],
  ['deal', dealView, [...dealMoney, 'minor_unit', 'contacts', 'revision'], []],
  ['task', taskView, ['description_rich', 'created_by', 'object_id', 'object_kind', 'targets', 'revision'], []],
] as const)('%s has the fields that its own endpoint shows', async (kind, { schema }, others, unshown) => {
  const { fields, display_field } = (await get(kind)).body;
  const names: string[] = fields.map(({ name }: Body) => name);
  const shown = Object.keys((schema.describe() as { keys: object }).keys).filter((name) => !ofEveryRecord.includes(name));
  expect(names.toSorted()).toEqual([...shown.filter((name) => !others.includes(name as never)), ...unshown].toSorted());
  expect(names).toContain(display_field);
});

test('the options of a built-in field are those of its own column', async () => {
  const optionsOf = async (kind: string, name: string) => {
    const field = (await get(kind)).body.fields.find((one: Body) => one.name === name);
    return [field.type, ...field.options.map(({ value }: Body) => value)];
  };
  expect(await optionsOf('conversation', 'status')).toEqual(['select', ...conversationStatuses]);
  expect(await optionsOf('conversation', 'priority')).toEqual(['select', ...priorities]);
  expect(await optionsOf('deal', 'status')).toEqual(['select', ...dealStatuses]);
  expect(await optionsOf('task', 'type')).toEqual(['select', ...taskTypes]);
  expect(await optionsOf('task', 'assignee_id')).toEqual(['user']);
});

test('company is the same before it is stored and after, and is stored once by writers at the same time', async () => {
  const { organizationId, key } = await app.organization();
  const before = (await get('company', key)).body;
  expect(before).toMatchObject({ is_standard: true, created_at: null, display_field: 'name' });
  expect(before.relations.map(({ name }: Body) => name)).toEqual(['contacts', 'deals']);
  const transact = transactFor(app.web.deps.ledger.transact, organizationId);
  const types = await Promise.all([1, 2, 3].map(() => transact({}, ({ own }) => typeForWrite(own, 'company'))));
  expect(new Set(types.map(({ id }) => id))).toEqual(new Set([companyOf(organizationId).id]));
  const after = (await get('company', key)).body;
  expect(after).toEqual({ ...before, created_at: after.created_at, updated_at: after.updated_at });
  expect(after.created_at).not.toBeNull();
  expect(kindsOf(await list({}, key))).toEqual(['company', 'contact', 'conversation', 'deal', 'task']);
  const contact = (await get('contact', key)).body;
  expect(contact.relations.map(({ name }: Body) => name)).toEqual(['company']);
});

test('a kind of its own: made, read, changed, deleted', async () => {
  const fields = [
    { name: 'title', type: 'text', required: true },
    { name: 'stage', type: 'select', options: [{ value: 'a' }, { value: 'b', label: 'B!' }], indexed: true },
  ];
  const made = await make({ kind: 'project', label: 'Project', fields });
  expect([made.status, made.headers.get('location')]).toEqual([201, '/v1/crm/object-types/project']);
  expect(made.body).toMatchObject({ kind: 'project', plural_label: 'Project', display_field: 'title', is_builtin: false });
  expect(made.body.fields[1]).toMatchObject({ name: 'stage', indexed: true, index_state: 'ready', default: null });
  expect(made.body.fields[1].options).toEqual([
    { value: 'a', label: 'a' },
    { value: 'b', label: 'B!' },
  ]);
  expect((await get('project')).body).toEqual(made.body);
  expect((await make({ kind: 'project', label: 'Again' })).status).toBe(409);
  const changed = await patch('project', { label: 'Work', display_field: 'stage' });
  expect([changed.status, changed.body.label, changed.body.display_field]).toEqual([200, 'Work', 'stage']);
  expect((await patch('project', { display_field: 'nothing' })).status).toBe(422);
  expect((await remove('project')).status).toBe(204);
  expect((await get('project')).status).toBe(404);
  expect((await remove('project')).status).toBe(404);
  expect((await make({ kind: 'project', label: 'Another' })).status).toBe(201);
  const [act] = await listedActs(app, { action: 'crm.object-types.update' }, { columns: ['subject'] });
  expect(act.subject).toBe('object_type:project');
});

test('without fields it has a name', async () => {
  const { fields, display_field } = (await make({ kind: 'plain', label: 'Plain' })).body;
  expect([display_field, fields.length]).toEqual(['name', 1]);
  expect(fields[0]).toMatchObject({ name: 'name', required: true, indexed: true, searchable: true });
});

test('built-in and standard kinds are not deleted, and built-in ones not changed', async () => {
  expect((await remove('company')).status).toBe(409);
  expect((await remove('contact')).status).toBe(409);
  expect((await patch('deal', { label: 'Sale' })).status).toBe(409);
  expect((await patch('company', { label: 'Account' })).status).toBe(200);
  expect((await patch('nothing', { label: 'Account' })).status).toBe(404);
});

test("another organization's kind is not there", async () => {
  const { key } = await app.organization();
  await make({ kind: 'secret_kind', label: 'Secret' });
  expect((await get('secret_kind', key)).status).toBe(404);
  expect((await patch('secret_kind', { label: 'Stolen' }, key)).status).toBe(404);
  expect((await make({ kind: 'secret_kind', label: 'Own' }, key)).status).toBe(201);
});

const field = { name: 'name', type: 'text' };
const named = (name: unknown) => ({ kind: 'bad', label: 'Bad', fields: [field, { name, type: 'text' }] });
const fieldOf = (more: object) => ({ kind: 'bad', label: 'Bad', fields: [field, { name: 'other', ...more }] });
const numbered = (count: number, more: object) => ({
  kind: 'bad',
  label: 'Bad',
  fields: Array.from({ length: count }, (_, n) => ({ name: `f${n}`, type: 'text', ...more })),
});

test.each([
  ['a kind of upper case', { kind: 'Bad', label: 'Bad' }, 'kind'],
  ['a kind of an object', { kind: 'constructor', label: 'Bad' }, 'kind'],
  ['a kind id', { kind: 'id', label: 'Bad' }, 'kind'],
  ['a built-in kind', { kind: 'contact', label: 'Bad' }, 'kind'],
  ['a kind of 64 characters', { kind: 'a'.repeat(64), label: 'Bad' }, 'kind'],
  ['a kind of one character', { kind: 'a', label: 'Bad' }, 'kind'],
  ['a kind with an emoji', { kind: 'bad😀', label: 'Bad' }, 'kind'],
  ['a kind __proto__', { kind: '__proto__', label: 'Bad' }, 'kind'],
  ['a field __proto__', named('__proto__'), 'fields[1].name'],
  ['a field constructor', named('constructor'), 'fields[1].name'],
  ['a field id', named('id'), 'fields[1].name'],
  ['a field of upper case', named('Name'), 'fields[1].name'],
  ['a field of 64 characters', named('a'.repeat(64)), 'fields[1].name'],
  ['a field with an emoji', named('a😀'), 'fields[1].name'],
  ['a field twice', named('name'), 'fields'],
  ['201 fields', numbered(201, {}), 'fields'],
  ['26 indexed', numbered(26, { indexed: true }), 'indexed'],
  ['26 unique', numbered(26, { unique: true }), 'indexed'],
  ['26 emails', numbered(26, { type: 'email' }), 'indexed'],
  ['11 searchable', numbered(11, { searchable: true }), 'searchable'],
  ['an option twice', fieldOf({ type: 'select', options: [{ value: 'a' }, { value: 'a' }] }), 'fields[1].options'],
  ['no options', fieldOf({ type: 'select' }), 'fields[1].options'],
  ['options of a text', fieldOf({ type: 'text', options: [{ value: 'a' }] }), 'fields[1].options'],
  ['a default outside its options', fieldOf({ type: 'select', options: [{ value: 'a' }], default: 'b' }), 'fields[1].default'],
  ['a default of another type', fieldOf({ type: 'number', default: '1' }), 'fields[1].default'],
  ['a default outside its bounds', fieldOf({ type: 'number', min: 1, default: 0 }), 'fields[1].default'],
  ['a default of a unique field', fieldOf({ type: 'text', unique: true, default: 'a' }), 'fields[1].default'],
  ['min above max', fieldOf({ type: 'number', min: 2, max: 1 }), 'fields[1].max'],
  ['min of a text', fieldOf({ type: 'text', min: 2 }), 'fields[1].min'],
  ['max_length of a number', fieldOf({ type: 'number', max_length: 2 }), 'fields[1].max_length'],
  ['a long text indexed', fieldOf({ type: 'long_text', indexed: true }), 'fields[1].indexed'],
  ['json indexed', fieldOf({ type: 'json', indexed: true }), 'fields[1].indexed'],
  ['a unique boolean', fieldOf({ type: 'boolean', unique: true }), 'fields[1].unique'],
  ['a searchable number', fieldOf({ type: 'number', searchable: true }), 'fields[1].searchable'],
  ['an unknown type', fieldOf({ type: 'color' }), 'fields[1].type'],
  ['a display field of json', { ...fieldOf({ type: 'json' }), display_field: 'other' }, 'display_field'],
  ['a label with a line break', { kind: 'bad', label: 'a\nb' }, 'label'],
])('%s: 422 at its place, and nothing is made', async (_, body, place) => {
  const refused = await make(body);
  expect(refused.status).toBe(422);
  expect(refused.body.error.details.map(({ field: at }: Body) => at)).toContain(place);
  expect(await loadType(ownRows(app.web.deps.database, app.tenant.organizationId), 'bad')).toBeUndefined();
});

test('an organization has fifty kinds of its own at most', async () => {
  const { organizationId, key } = await app.organization();
  await storedObjectTypes.addMany(app, 49, (n) => ({
    organization_id: organizationId,
    kind: `kind_${n}`,
    label: 'Kind',
    plural_label: 'Kinds',
    display_field: 'name',
  }));
  const replies = await Promise.all(['x1', 'y1', 'z1'].map((kind) => make({ kind, label: kind }, key)));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
  expect(replies.find(({ status }) => status === 422)!.body.error.code).toBe('limit_reached');
  expect((await list({ include_total: true, limit: 1 }, key)).meta.total).toBe(55);
});

test('a write of records and a change of their type wait for each other, and the write sees the change', async () => {
  await make({ kind: 'moving', label: 'Moving' });
  const transact = transactFor(app.web.deps.ledger.transact, app.tenant.organizationId);
  const seen: number[] = [];
  let change: Promise<unknown> | undefined;
  await transact({}, async ({ own }) => {
    seen.push((await typeForWrite(own, 'moving')).fields.length);
    change = app.call('crm.object-fields.create', { params: { objectKind: 'moving' }, body: { name: 'later', type: 'text' } });
    // The change waits: what it will write is not there, however often it is looked for.
    for (let look = 0; look < 20; look += 1) seen.push((await loadType(own, 'moving'))!.fields.length);
  });
  await change;
  await transact({}, async ({ own }) => void seen.push((await typeForWrite(own, 'moving')).fields.length));
  expect(new Set(seen.slice(0, -1))).toEqual(new Set([1]));
  expect(seen.at(-1)).toBe(2);
});

test('a write that waited for a change writes by the new definition', async () => {
  await make({ kind: 'waiting', label: 'Waiting' });
  const { organizationId } = app.tenant;
  const transact = transactFor(app.web.deps.ledger.transact, organizationId);
  let write: Promise<ObjectType> | undefined;
  await transact({ locks: [typeLane(organizationId, 'waiting')] }, async ({ own }) => {
    await addField(own, 'waiting', { name: 'later', type: 'text' });
    await own.flush();
    write = transact({}, ({ own: tx }) => typeForWrite(tx, 'waiting'));
    await waitFor('the write to wait', () => waitsForLock(app, 'json_build_object'));
  });
  expect((await write!).fields.map(({ name }) => name)).toEqual(['name', 'later']);
});
