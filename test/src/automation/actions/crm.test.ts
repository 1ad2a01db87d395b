import { beforeAll, describe, expect, test } from '@jest/globals';
import { actions } from '../../../../src/automation/actions/index.ts';
import { readFieldsFor } from '../../../../src/automation/actions/read-fields.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { Task } from '../../../../src/tasks/task.entity.ts';
import { type Body, type Channel, useApp } from '../../../support/app.ts';
import { contact } from '../../../support/factories/contact.ts';
import { objectType } from '../../../support/factories/object-type.ts';
import { person } from '../../../support/factories/person.ts';
import { type PipelineMade, pipeline } from '../../../support/factories/pipeline.ts';
import { historyOf as storedHistoryOf } from '../../../support/rules/history.ts';
import { jobsOf } from '../../../support/rules/ledger-jobs.ts';
import { alike, type GivenRun, stepsOf } from '../../../support/steps.ts';

const app = useApp();
const steps = stepsOf(app);
let channel: Channel;
let sales: PipelineMade;
beforeAll(async () => {
  channel = await app.connect();
  sales = await pipeline(app.em(), app.tenant.organizationId);
  await objectType(app, app.tenant.organizationId, {
    kind: 'pet',
    fields: [
      { name: 'code', type: 'text', isUnique: true },
      { name: 'age', type: 'number' },
    ],
    relations: [{ name: 'keeper', inverse: 'pets', to: 'contact', cardinality: 'many_to_one' }],
  });
});

const made = async (operation: string, body: object, params: object = {}): Promise<Body> => {
  const reply = await app.call(operation, { body, params: params as Record<string, string> });
  expect(reply).toMatchObject({ status: 201 });
  return reply.body;
};
const someone = () => contact(app.em(), app.tenant.organizationId);
const member = async () => (await person(app.em(), app.tenant.organizationId, 'agent')).userId;
const eventsOf = async (id: string) => (await app.events(id)).map(({ type, data }) => ({ type, data }));
const historyOf = async (id: string) =>
  (await storedHistoryOf(app.em(), id)).map(({ revision, actor, changes }) => ({ revision, actor, changes }));
const on = (subject_type: 'deal' | 'task' | 'record', subject_id: string): GivenRun => ({
  subject_type,
  subject_id,
  ...(subject_type === 'record' && { record_kind: 'pet' }),
});
const pet = (fields: object = {}) => made('crm.records.create', { fields: { name: 'Rex', ...fields } }, { objectKind: 'pet' });
const read = {
  deal: async (id: string) => (await app.call('crm.deals.get', { params: { dealID: id } })).body,
  task: async (id: string) => (await app.call('crm.tasks.get', { params: { taskID: id } })).body,
  record: async (id: string) => (await app.call('crm.records.get', { params: { objectKind: 'pet', recordID: id } })).body,
};
type Kind = keyof typeof read;

/** The object, its events and its history, alike but for its ids, its place among others and who did it. */
async function assertTwins(
  kind: Kind,
  ids: { api: string; run: string },
  others: { api: string[]; run: string[] },
  actor: string,
) {
  const shown = async (id: string, more: string[]) => {
    const history = (await historyOf(id)).map((row) => ({ ...row, actor: undefined }));
    const { position: _, created_by: __, targets, ...row } = await read[kind](id);
    const objects = (targets ?? []).map(({ object_id, object_kind }: Body) => ({ object_id, object_kind }));
    const all = alike({ row, objects, events: await eventsOf(id), history }, [id, ...more]);
    return JSON.parse(JSON.stringify(all).replace(/"position":\{[^}]*\}/g, '"position":{}'));
  };
  expect(await shown(ids.run, others.run)).toEqual(await shown(ids.api, others.api));
  expect((await historyOf(ids.run)).at(-1)?.actor).toBe(actor);
}

describe('create_task', () => {
  test('does what the API does, as the run, about the contact and the subject of the run', async () => {
    const [one, other] = [await app.conversation(channel), await app.conversation(channel)];
    const [due_at, assignee_id] = [new Date(Date.now() + 86_400_000).toISOString(), await member()];
    const fields = { title: 'Call', priority: 'high', due_at, assignee_id };
    const targets = [
      { object_kind: 'contact', object_id: one.contactId },
      { object_kind: 'conversation', object_id: one.id },
    ];
    const api = await made('crm.tasks.create', { ...fields, type: 'call', targets });
    const run = {
      subject_type: 'conversation' as const,
      subject_id: other.id,
      contact_id: other.contactId,
      conversation_id: other.id,
    };
    const { output, run: took } = await steps.take('create_task', { ...fields, task_type: 'call' }, run);
    const others = { api: [one.id, one.contactId], run: [other.id, other.contactId] };
    await assertTwins('task', { api: api.id, run: output.task_id }, others, `run:${took.id}`);
    const jobs = async (id: string) => (await jobsOf(app.em(), id)).map(({ name, state }) => ({ name, state }));
    expect(await jobs(output.task_id)).toEqual(await jobs(api.id));
    expect(await steps.eventsOf(took)).toMatchObject([{ type: 'task.created', chain: [took.rule_id] }]);
  });

  test('due so long after the step; about nothing with an empty list', async () => {
    const { output } = await steps.take('create_task', { title: 'Later', due_in: { days: 1, hours: 2 }, targets: [] });
    const { due_at, targets } = await read.task(output.task_id);
    expect(Math.abs(Date.parse(due_at) - Date.now() - 26 * 3_600_000)).toBeLessThan(60_000);
    expect(targets).toEqual([]);
  });

  test('the contact of the run is followed where it was merged', async () => {
    const [older, newer] = [await someone(), await someone()];
    const run = { subject_type: 'contact' as const, subject_id: newer.id, contact_id: newer.id };
    const merge = () => app.call('contacts.merge', { params: { contactID: older.id }, body: { contact_id: newer.id } });
    const { output } = await steps.take('create_task', { title: 'Call' }, run, merge);
    expect((await read.task(output.task_id)).targets).toMatchObject([{ object_id: older.id }]);
  });

  test.each([
    [{ title: 'x', assignee_id: uuidv7() }, 'assignee_id'],
    [{ title: 'x', targets: [{ object_kind: 'deal', object_id: uuidv7() }] }, 'targets[0].object_id'],
    [{ title: '' }, 'title'],
    [{ title: 'x', type: 'call' }, 'type'],
    [{ title: 'x', due_in: {} }, 'due_in'],
    [{ title: 'x', due_at: 'soon' }, 'due_at'],
  ])('%j is refused', async (fields, field) => {
    const before = await app.counts();
    await expect(steps.take('create_task', fields)).rejects.toMatchObject({ code: 'invalid_request', details: [{ field }] });
    expect(await app.counts()).toEqual(before);
  });
});

describe('update_task', () => {
  const task = (more: object = {}) => made('crm.tasks.create', { title: 'Call', ...more });

  test('does what the API does, as the run; twice is once', async () => {
    const [one, other] = [await task(), await task()];
    await app.call('crm.tasks.update', { params: { taskID: one.id }, body: { status: 'done', title: 'Called' } });
    const fields = { status: 'done', title: 'Called' };
    const { outputs, run } = await steps.takeAll(
      [
        ['update_task', fields],
        ['update_task', fields],
      ],
      on('task', other.id),
    );
    expect(outputs).toMatchObject([
      { is_changed: true, revision: 2 },
      { is_changed: false, revision: 2 },
    ]);
    await assertTwins('task', { api: one.id, run: other.id }, { api: [], run: [] }, `run:${run.id}`);
  });

  test('a time that moves twice in one transaction reminds once', async () => {
    const it = await task({ due_at: new Date(Date.now() + 3_600_000).toISOString() });
    const steps2: [string, Record<string, unknown>][] = [
      ['update_task', { due_in: { days: 2 } }],
      ['update_task', { due_in: { days: 3 } }],
    ];
    await steps.takeAll(steps2, on('task', it.id));
    const { reminder_job_id } = await app.em().findOneOrFail(Task, { id: it.id });
    const jobs = await jobsOf(app.em(), it.id);
    expect(jobs.map(({ id }) => id)).toContain(reminder_job_id);
    const soon = jobs.filter(({ run_at }) => Date.parse(run_at) < Date.now() + 86_400_000);
    expect(soon).toEqual([]);
  });

  test('what calls jobs off stands beside its like', async () => {
    const [it, talk] = [await task({ due_at: new Date(Date.now() + 3_600_000).toISOString() }), await app.conversation(channel)];
    const body = { snoozed_until: new Date(Date.now() + 3_600_000).toISOString() };
    await app.call('conversations.update', { params: { conversationID: talk.id }, body });
    await steps.takeAll(
      [
        ['set_conversation_status', { status: 'open' }],
        ['update_task', { task_id: it.id, status: 'done' }],
      ],
      { subject_type: 'conversation', subject_id: talk.id, conversation_id: talk.id },
    );
    expect(await jobsOf(app.em(), [it.id, talk.id])).toEqual([]);
  });

  test('refuses one that is gone, in the bin or not named', async () => {
    const it = await task();
    await app.call('crm.tasks.delete', { params: { taskID: it.id } });
    await expect(steps.take('update_task', { status: 'done' }, on('task', it.id))).rejects.toMatchObject({ code: 'not_found' });
    await expect(steps.take('update_task', { status: 'done', task_id: uuidv7() })).rejects.toMatchObject({ code: 'not_found' });
    await expect(steps.take('update_task', { status: 'done' })).rejects.toMatchObject({ details: [{ field: 'task_id' }] });
    await expect(steps.take('update_task', {}, on('task', it.id))).rejects.toMatchObject({
      details: [{ code: 'object.missing' }],
    });
  });
});

describe('create_deal', () => {
  test('does what the API does, as the run, linked to the conversation and contact of the run', async () => {
    const [one, other] = [await app.conversation(channel), await app.conversation(channel)];
    const fields = { title: 'Seats', amount_minor: '125000', currency_code: 'EUR', custom_fields: { seats: 40 } };
    const api = await made('crm.deals.create', { ...fields, source_conversation_id: one.id });
    const run = {
      subject_type: 'conversation' as const,
      subject_id: other.id,
      contact_id: other.contactId,
      conversation_id: other.id,
    };
    const { output, run: took } = await steps.take('create_deal', fields, run);
    const others = { api: [one.id, one.contactId], run: [other.id, other.contactId] };
    await assertTwins('deal', { api: api.id, run: output.deal_id }, others, `run:${took.id}`);
    expect(output).toMatchObject({ pipeline_id: sales.id, stage_id: sales.stages.first, status: 'open' });
  });

  test('several in one transaction, each at its place', async () => {
    const { outputs } = await steps.takeAll([
      ['create_deal', { title: 'A' }],
      ['create_deal', { title: 'B', stage_id: sales.stages.won }],
    ]);
    expect(await read.deal(outputs[0].deal_id)).toMatchObject({ title: 'A', status: 'open', contacts: [] });
    expect(await eventsOf(outputs[1].deal_id)).toMatchObject([{ type: 'deal.created' }, { type: 'deal.closed' }]);
  });

  test('the contact of the run is followed where it was merged at the very moment', async () => {
    const [older, newer] = [await someone(), await someone()];
    const run = { subject_type: 'contact' as const, subject_id: newer.id, contact_id: newer.id };
    const merge = () => app.call('contacts.merge', { params: { contactID: older.id }, body: { contact_id: newer.id } });
    const { output } = await steps.take('create_deal', { title: 'Seats' }, run, merge);
    expect((await read.deal(output.deal_id)).contacts).toMatchObject([{ contact_id: older.id, is_primary: true }]);
  });

  test.each([
    [{ title: 'x', stage_id: uuidv7() }, 'stage_id'],
    [{ title: 'x', owner_user_id: uuidv7() }, 'owner_user_id'],
    [{ title: 'x', amount_minor: 5 }, 'amount_minor'],
    [{ title: 'x', contacts: [{ contact_id: uuidv7() }] }, 'contacts[0].contact_id'],
    [{}, 'title'],
  ])('%j is refused', async (fields, field) => {
    const before = await app.counts();
    await expect(steps.take('create_deal', fields)).rejects.toMatchObject({ code: 'invalid_request', details: [{ field }] });
    expect(await app.counts()).toEqual(before);
  });
});

describe('deals that change', () => {
  const deal = () => made('crm.deals.create', { title: 'Seats' });
  type Twin = { operation: string; body: object; step: [string, Record<string, unknown>] };
  const twins: [string, () => Twin][] = [
    ['update_deal', () => ({ operation: 'crm.deals.update', body: { title: 'More' }, step: ['update_deal', { title: 'More' }] })],
    [
      'set_field',
      () => ({
        operation: 'crm.deals.update',
        body: { custom_fields: { seats: 4 } },
        step: ['set_field', { on: 'deal', field: 'custom_fields.seats', value: 4 }],
      }),
    ],
    [
      'move_deal',
      () => ({
        operation: 'crm.deals.move',
        body: { stage_id: sales.stages.second },
        step: ['move_deal', { stage_id: sales.stages.second }],
      }),
    ],
    ['won', () => ({ operation: 'crm.deals.win', body: {}, step: ['move_deal', { outcome: 'won' }] })],
    [
      'lost',
      () => ({
        operation: 'crm.deals.lose',
        body: { lost_reason: 'Budget' },
        step: ['move_deal', { outcome: 'lost', lost_reason: 'Budget' }],
      }),
    ],
  ];

  test.each(twins)('%s does what the API does, as the run; twice is once', async (_, twin) => {
    const [one, other] = [await deal(), await deal()];
    const { operation, body, step } = twin();
    expect((await app.call(operation, { params: { dealID: one.id }, body })).status).toBe(200);
    const { run } = await steps.takeAll([step, step], on('deal', other.id));
    await assertTwins('deal', { api: one.id, run: other.id }, { api: [], run: [] }, `run:${run.id}`);
  });

  test('lost, and opened again', async () => {
    const it = await deal();
    await steps.takeAll(
      [
        ['move_deal', { outcome: 'lost' }],
        ['move_deal', { outcome: 'open' }],
      ],
      on('deal', it.id),
    );
    expect(await read.deal(it.id)).toMatchObject({ status: 'open', stage_id: sales.stages.first, revision: 3 });
  });

  test('before another one of the stage', async () => {
    const [first, second] = [await deal(), await deal()];
    await steps.take('move_deal', { stage_id: sales.stages.first, before_id: first.id }, on('deal', second.id));
    const position = async (id: string) => Number((await read.deal(id)).position);
    expect(await position(second.id)).toBeLessThan(await position(first.id));
  });

  test('refuses a stage of another pipeline, a reason that is wanted, and a deal that is gone', async () => {
    const other = await pipeline(app.em(), app.tenant.organizationId, { isDefault: false, needsLostReason: true });
    const it = await deal();
    const move = (fields: object) => steps.take('move_deal', { ...fields }, on('deal', it.id));
    await expect(move({ stage_id: other.stages.first })).rejects.toMatchObject({ details: [{ field: 'stage_id' }] });
    const lost = move({ stage_id: other.stages.lost, pipeline_id: other.id });
    await expect(lost).rejects.toMatchObject({ details: [{ field: 'lost_reason' }] });
    await expect(move({})).rejects.toMatchObject({ details: [{ code: 'object.missing' }] });
    await expect(move({ stage_id: uuidv7(), outcome: 'won' })).rejects.toMatchObject({ details: [{ code: 'object.xor' }] });
    await app.call('crm.deals.delete', { params: { dealID: it.id } });
    await expect(move({ outcome: 'won' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(steps.take('move_deal', { outcome: 'won' })).rejects.toMatchObject({ details: [{ field: 'deal_id' }] });
  });
});

describe('records', () => {
  test('create_record does what the API does, as the run', async () => {
    const fields = { name: 'Rex', age: 3 };
    const api = await pet(fields);
    const { output, run } = await steps.take('create_record', { kind: 'pet', fields, custom_fields: {} });
    await assertTwins('record', { api: api.id, run: output.record_id }, { api: [], run: [] }, `run:${run.id}`);
    expect(output).toMatchObject({ kind: 'pet', display_name: 'Rex' });
  });

  test.each([
    ['update_record', { fields: { age: 4 } }],
    ['set_field', { on: 'record', field: 'age', value: 4 }],
  ])('%s does what the API does, as the run; twice is once', async (type, fields) => {
    const [one, other] = [await pet(), await pet()];
    await app.call('crm.records.update', { params: { objectKind: 'pet', recordID: one.id }, body: { fields: { age: 4 } } });
    const { run } = await steps.takeAll(
      [
        [type, fields],
        [type, fields],
      ],
      on('record', other.id),
    );
    await assertTwins('record', { api: one.id, run: other.id }, { api: [], run: [] }, `run:${run.id}`);
  });

  test('refuses a unique value that is taken, unknown kinds and fields, and one that is gone', async () => {
    await pet({ code: 'A' });
    const create = (given: object) => steps.take('create_record', { ...given });
    await expect(create({ kind: 'pet', fields: { name: 'x', code: 'A' } })).rejects.toMatchObject({ code: 'conflict' });
    const twice = steps.takeAll([
      ['create_record', { kind: 'pet', fields: { code: 'B' } }],
      ['create_record', { kind: 'pet', fields: { code: 'B' } }],
    ]);
    await expect(twice).rejects.toMatchObject({ code: 'conflict' });
    await expect(create({ kind: 'unicorn' })).rejects.toMatchObject({ details: [{ field: 'kind' }] });
    await expect(create({ kind: 'deal' })).rejects.toMatchObject({ details: [{ field: 'kind' }] });
    await expect(create({ kind: 'pet', fields: { horn: 1 } })).rejects.toMatchObject({ details: [{ field: 'fields.horn' }] });
    const it = await pet();
    await app.call('crm.records.delete', { params: { objectKind: 'pet', recordID: it.id } });
    const update = steps.take('update_record', { fields: { age: 1 } }, on('record', it.id));
    await expect(update).rejects.toMatchObject({ code: 'not_found' });
    await expect(steps.take('update_record', { fields: {} })).rejects.toMatchObject({ details: [{ field: 'record_id' }] });
  });
});

describe('link', () => {
  test('a record, as the API does', async () => {
    const [one, other, [a, b]] = [await pet(), await pet(), [await someone(), await someone()]];
    const params = { objectKind: 'pet', recordID: one.id, relationName: 'keeper', otherID: a.id };
    expect((await app.call('crm.records.relations.link', { params })).status).toBe(200);
    const fields = { relation: 'keeper', object_id: b.id };
    const { run } = await steps.takeAll(
      [
        ['link', fields],
        ['link', fields],
      ],
      on('record', other.id),
    );
    await assertTwins('record', { api: one.id, run: other.id }, { api: [a.id, a.phone], run: [b.id, b.phone] }, `run:${run.id}`);
    const more = steps.take('link', { relation: 'keeper', object_id: a.id }, on('record', other.id));
    await expect(more).rejects.toMatchObject({ code: 'conflict' });
    const unknown = steps.take('link', { relation: 'owner', object_id: a.id }, on('record', other.id));
    await expect(unknown).rejects.toMatchObject({ details: [{ field: 'relation' }] });
  });

  test('a deal to a contact and a conversation, as the API does', async () => {
    const talks = [await app.conversation(channel), await app.conversation(channel)] as const;
    const [one, other] = [await made('crm.deals.create', { title: 'A' }), await made('crm.deals.create', { title: 'A' })];
    const params = { dealID: one.id, contactID: talks[0].contactId, conversationID: talks[0].id };
    await app.call('crm.deals.contacts.put', {
      params: { dealID: one.id, contactID: params.contactID },
      body: { role: 'Buyer' },
    });
    await app.call('crm.deals.conversations.put', { params: { dealID: one.id, conversationID: params.conversationID } });
    const { run } = await steps.takeAll(
      [
        ['link', { on: 'deal', role: 'Buyer' }],
        ['link', { on: 'deal', object_kind: 'conversation', object_id: talks[1].id }],
      ],
      { ...on('deal', other.id), contact_id: talks[1].contactId },
    );
    const others = { api: [talks[0].id, talks[0].contactId], run: [talks[1].id, talks[1].contactId] };
    await assertTwins('deal', { api: one.id, run: other.id }, others, `run:${run.id}`);
    const wrong = steps.take('link', { on: 'deal', object_kind: 'task', object_id: uuidv7() }, on('deal', other.id));
    await expect(wrong).rejects.toMatchObject({ details: [{ field: 'object_kind' }] });
  });

  test('a deal to a contact that is merged at the very moment: the survivor', async () => {
    const [older, newer] = [await someone(), await someone()];
    const it = await made('crm.deals.create', { title: 'A' });
    const merge = () => app.call('contacts.merge', { params: { contactID: older.id }, body: { contact_id: newer.id } });
    const { output } = await steps.take('link', { on: 'deal', object_id: newer.id }, on('deal', it.id), merge);
    expect(output.object_id).toBe(older.id);
  });

  test('a task to what it is about, as the API does', async () => {
    const [a, b] = [await someone(), await someone()];
    const [one, other] = [await made('crm.tasks.create', { title: 'A' }), await made('crm.tasks.create', { title: 'A' })];
    const body = { object_kind: 'contact', object_id: a.id };
    await app.call('crm.tasks.targets.create', { params: { taskID: one.id }, body });
    const { run, output } = await steps.take('link', { on: 'task', object_id: b.id }, on('task', other.id));
    expect(output.is_new).toBe(true);
    await assertTwins('task', { api: one.id, run: other.id }, { api: [a.id], run: [b.id] }, `run:${run.id}`);
  });
});

describe('publishing', () => {
  test.each([
    ['create_task', { title: 'x', assignee_id: uuidv7() }, ['assignee_id']],
    ['create_task', { title: 'x', assignee_id: '{{ vars.who }}' }, []],
    ['update_deal', { owner_user_id: uuidv7() }, ['owner_user_id']],
    ['create_deal', { title: 'x', stage_id: uuidv7(), pipeline_id: uuidv7() }, ['pipeline_id', 'stage_id']],
    ['move_deal', { stage_id: uuidv7() }, ['stage_id']],
    ['create_record', { kind: 'unicorn' }, ['kind']],
    ['create_record', { kind: 'task' }, ['kind']],
    [
      'create_record',
      { kind: 'pet', fields: { name: '{{ contact.name }}', age: 'old', horn: 1 } },
      ['fields.age', 'fields.horn'],
    ],
    ['create_record', { kind: 'pet', fields: { horn: '{{ vars.horn }}' } }, ['fields.horn']],
    ['update_record', { fields: { horn: 1 } }, []],
    ['link', { kind: 'pet', record_id: '{{ steps.a.record_id }}', relation: 'owner' }, ['relation']],
    ['link', { kind: 'pet', record_id: '{{ steps.a.record_id }}', relation: 'keeper' }, []],
    ['link', { on: 'task', object_kind: 'unicorn', object_id: uuidv7() }, ['object_kind']],
    ['set_field', { on: 'record', kind: 'pet', field: 'horn', value: 1 }, ['field']],
    ['set_field', { on: 'record', kind: 'pet', field: 'age', value: 'old' }, ['value']],
    ['set_field', { on: 'deal', field: 'owner_user_id', value: uuidv7() }, ['value']],
    ['set_field', { on: 'deal', field: 'stage_id', value: uuidv7() }, ['field']],
    ['set_field', { field: 'name', value: '{{ message.text }}' }, []],
    ['set_field', { field: 'nickname', value: '{{ message.text }}' }, ['field']],
  ])('%s %j', async (type, fields, at) => {
    expect((await steps.check(type, fields)).map(({ field }) => field)).toEqual(at);
  });

  test('a stage of its pipeline is no fault', async () => {
    expect(await steps.check('create_deal', { title: 'x', pipeline_id: sales.id, stage_id: sales.stages.won })).toEqual([]);
  });
});

test('a day of a rule is by the clock of the organization: its end is due, its beginning reminds', async () => {
  await app.call('organization.update', { body: { timezone: 'Asia/Jakarta' } });
  const own = ownRows(app.web.deps.database, app.tenant.organizationId);
  const given = { title: 'Call', due_at: '2031-12-31' };
  const { value } = await readFieldsFor<Body>(own, actions.get('create_task')!.fields, given);
  expect(value!.due_at).toBe('2031-12-31T16:59:59.999Z');
  const task_id = (await made('crm.tasks.create', { title: 'Call' })).id;
  await steps.take('set_field', { on: 'task', field: 'remind_at', value: '2031-12-31' }, on('task', task_id));
  expect((await read.task(task_id)).remind_at).toBe('2031-12-30T17:00:00.000Z');
  await app.call('organization.update', { body: { timezone: 'UTC' } });
});
