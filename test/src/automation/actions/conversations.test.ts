import { beforeAll, describe, expect, test } from '@jest/globals';
import { ConversationNote } from '../../../../src/messaging/conversation.entity.ts';
import { Membership } from '../../../../src/organizations/organization.entity.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { type Channel, useApp } from '../../../support/app.ts';
import { rule as automationRule } from '../../../support/factories/automation.ts';
import { person } from '../../../support/factories/person.ts';
import { jobsOf } from '../../../support/rules/ledger-jobs.ts';
import { alike, type GivenRun, stepsOf } from '../../../support/steps.ts';

const app = useApp();
const steps = stepsOf(app);
let channel: Channel;
beforeAll(async () => {
  channel = await app.connect();
});

type Talk = { id: string; contactId: string; phone: string };
const talk = (): Promise<Talk> => app.conversation(channel);
const about = ({ id, contactId }: Talk): GivenRun => ({
  subject_type: 'conversation',
  subject_id: id,
  contact_id: contactId,
  conversation_id: id,
});
const eventsOf = async ({ id }: Talk) => (await app.events(id)).map(({ type, data }) => ({ type, data }));
const read = async ({ id }: Talk) => (await app.call('conversations.get', { params: { conversationID: id } })).body;

const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
type Twin = { name: string; body: object; step: [string, object] };
const twins: Twin[] = [
  { name: 'add_tag', body: { tags: ['refund'] }, step: ['add_tag', { on: 'conversation', tag: 'refund' }] },
  {
    name: 'set_field',
    body: { custom_fields: { order: 'A-1' } },
    step: ['set_field', { on: 'conversation', field: 'custom_fields.order', value: 'A-1' }],
  },
  {
    name: 'set_field of the priority',
    body: { priority: 'high' },
    step: ['set_field', { on: 'conversation', field: 'priority', value: 'high' }],
  },
  { name: 'set_conversation_status', body: { status: 'resolved' }, step: ['set_conversation_status', { status: 'resolved' }] },
  { name: 'a snooze', body: { snoozed_until: inAnHour }, step: ['set_conversation_status', { snoozed_until: inAnHour }] },
];

describe.each(twins)('$name', ({ body, step: [type, fields] }) => {
  test('does what the API does, as the run', async () => {
    const [one, other] = [await talk(), await talk()];
    const { status } = await app.call('conversations.update', { params: { conversationID: one.id }, body });
    const { run } = await steps.take(type, { ...fields }, about(other));
    expect(status).toBe(200);
    const shown = async (it: Talk) => alike(await read(it), [it.id, it.contactId, it.phone]);
    expect(await shown(other)).toEqual(await shown(one));
    expect(alike(await eventsOf(other), [other.id])).toEqual(alike(await eventsOf(one), [one.id]));
    expect(await steps.eventsOf(run)).toMatchObject([{ type: 'conversation.updated', chain: [run.rule_id] }]);
    const jobs = async (id: string) => (await jobsOf(app.em(), id)).map(({ name, state }) => ({ name, state }));
    expect(await jobs(other.id)).toEqual(await jobs(one.id));
  });

  test('twice in one transaction, and once more, is one change', async () => {
    const it = await talk();
    const first = await steps.takeAll(
      [
        [type, { ...fields }],
        [type, { ...fields }],
      ],
      about(it),
    );
    const again = await steps.take(type, { ...fields }, about(it));
    expect(await steps.eventsOf(first.run)).toHaveLength(1);
    expect(await steps.eventsOf(again.run)).toEqual([]);
  });

  test('refuses a conversation that is not there, and a run without one', async () => {
    const stranger = steps.take(type, { ...fields, conversation_id: uuidv7() });
    await expect(stranger).rejects.toMatchObject({ code: 'not_found' });
    await expect(steps.take(type, { ...fields })).rejects.toMatchObject({ details: [{ field: 'conversation_id' }] });
  });
});

test('a note on a conversation is as the API makes it, its author the run', async () => {
  const [one, other] = [await talk(), await talk()];
  await app.call('conversations.notes.create', { params: { conversationID: one.id }, body: { body: 'Call back' } });
  const { run, output } = await steps.take('add_note', { on: 'conversation', body: 'Call back' }, about(other));
  const notes = ({ id }: Talk) => app.em().find(ConversationNote, { conversation_id: id });
  expect(await notes(other)).toMatchObject([{ id: output.note_id, body: 'Call back', author: `run:${run.id}` }]);
  expect(alike(await eventsOf(other), [other.id])).toEqual(alike(await eventsOf(one), [one.id]));
});

describe('tags', () => {
  test('are added to those that are there, and taken from them', async () => {
    const it = await talk();
    await steps.take('add_tag', { on: 'conversation', tag: 'one' }, about(it));
    await steps.take('add_tag', { on: 'conversation', tag: 'two' }, about(it));
    const gone = await steps.take('remove_tag', { on: 'conversation', tag: 'ONE' }, about(it));
    expect(gone.output).toMatchObject({ tag: 'one', was_there: true });
    expect((await read(it)).tags).toEqual(['two']);
    expect((await steps.take('remove_tag', { on: 'conversation', tag: 'one' }, about(it))).output.was_there).toBe(false);
  });

  test('the limit holds', async () => {
    const it = await talk();
    const tags = Array.from({ length: 50 }, (_, index) => `t${index}`);
    await app.call('conversations.update', { params: { conversationID: it.id }, body: { tags } });
    await steps.take('add_tag', { on: 'conversation', tag: 'T7' }, about(it));
    const more = steps.take('add_tag', { on: 'conversation', tag: 'one more' }, about(it));
    await expect(more).rejects.toMatchObject({ code: 'limit_reached' });
    expect((await read(it)).tags).toHaveLength(50);
  });
});

describe('assign_conversation', () => {
  const agent = async () => (await person(app.em(), app.tenant.organizationId, 'agent')).userId;
  const rule = async () => (await automationRule(app.em(), app.tenant.organizationId)).id;
  const assign = async (it: Talk, fields: object, ruleId?: string): Promise<string> => {
    const run = { ...about(it), ...(ruleId && { rule_id: ruleId }) };
    return (await steps.take('assign_conversation', { ...fields }, run)).output.user_id;
  };

  test('a user, as the API does', async () => {
    const [one, other, user] = [await talk(), await talk(), await agent()];
    await app.call('conversations.update', { params: { conversationID: one.id }, body: { assignee_id: user } });
    expect(await assign(other, { user_id: user })).toBe(user);
    expect((await read(other)).assignee_id).toBe(user);
    expect(alike(await eventsOf(other), [other.id])).toEqual(alike(await eventsOf(one), [one.id]));
    expect(await assign(other, { user_id: null })).toBe(null);
    expect((await read(other)).assignee_id).toBe(null);
  });

  test('nobody who is no member', async () => {
    const it = await talk();
    await expect(assign(it, { user_id: uuidv7() })).rejects.toMatchObject({ details: [{ code: 'member.unknown' }] });
  });

  test('round robin gives each a turn, in their order, for each rule', async () => {
    const [a, b, c] = [await agent(), await agent(), await agent()];
    const [ruleId, otherRule] = [await rule(), await rule()];
    const next = async (user_ids: string[], of = ruleId) => assign(await talk(), { strategy: 'round_robin', user_ids }, of);
    const turns = [];
    for (let turn = 0; turn < 4; turn += 1) turns.push(await next([b, a]));
    expect(turns).toEqual([b, a, b, a]);
    expect(await next([b, a, c])).toBe(c);
    expect(await next([a, b], otherRule)).toBe(a);
    await app.em().nativeDelete(Membership, { user_id: b });
    expect([await next([b, a, c]), await next([b, a, c])]).toEqual([a, c]);
    await expect(next([b])).rejects.toMatchObject({ code: 'conflict' });
  });

  test('round robin at the same moment gives nobody two turns', async () => {
    const users = [await agent(), await agent(), await agent(), await agent()];
    const ruleId = await rule();
    const talks = await Promise.all(Array.from({ length: 8 }, talk));
    const all = await Promise.all(talks.map((it) => assign(it, { strategy: 'round_robin', user_ids: users }, ruleId)));
    expect(users.map((user) => all.filter((one) => one === user).length)).toEqual([2, 2, 2, 2]);
  });

  test('the fewest open ones decide, at the same moment too', async () => {
    const [a, b] = [await agent(), await agent()];
    const next = async () => assign(await talk(), { strategy: 'fewest_open', user_ids: [a, b] });
    for (const user of [a, a, b]) await assign(await talk(), { user_id: user });
    expect(await next()).toBe(b);
    const resolved = await talk();
    await assign(resolved, { user_id: b });
    await steps.take('set_conversation_status', { status: 'resolved' }, about(resolved));
    expect(await next()).toBe(a);
    const all = await Promise.all(Array.from({ length: 6 }, next));
    expect(all.filter((one) => one === a)).toHaveLength(3);
  });

  test('a conversation counts for nobody while it is given away', async () => {
    const [a, b] = [await agent(), await agent()];
    const it = await talk();
    await assign(it, { user_id: a });
    expect(await assign(it, { strategy: 'fewest_open', user_ids: [a, b] })).toBe(a);
  });

  test('without names all agents, and nobody else', async () => {
    expect(await app.em().nativeDelete(Membership, { role: 'agent' })).toBeGreaterThan(0);
    await person(app.em(), app.tenant.organizationId, 'viewer');
    const it = await talk();
    await expect(assign(it, { strategy: 'fewest_open' })).rejects.toMatchObject({ code: 'conflict' });
    const only = await agent();
    expect(await assign(it, { strategy: 'fewest_open' })).toBe(only);
  });

  test.each([
    [{}, '', 'object.missing'],
    [{ user_id: uuidv7(), strategy: 'round_robin' }, '', 'object.xor'],
    [{ strategy: 'luck' }, 'strategy', 'any.only'],
    [{ user_id: uuidv7(), user_ids: [uuidv7()] }, '', 'object.with'],
    [{ strategy: 'round_robin', user_ids: [] }, 'user_ids', 'array.min'],
  ])('%j is refused', async (fields, field, code) => {
    await expect(assign(await talk(), fields)).rejects.toMatchObject({ details: [{ field, code }] });
  });

  test('publishing finds who is no member, and lets Liquid be', async () => {
    const [known, stranger] = [await agent(), uuidv7()];
    expect(await steps.check('assign_conversation', { user_id: known })).toEqual([]);
    expect(await steps.check('assign_conversation', { user_id: '{{ vars.who }}' })).toEqual([]);
    expect(await steps.check('assign_conversation', { strategy: 'round_robin', user_ids: [known, stranger] })).toMatchObject([
      { field: 'user_ids[1]', code: 'member.unknown' },
    ]);
  });
});

describe('status', () => {
  test.each([
    [{}, 'object.missing'],
    [{ status: 'gone' }, 'any.only'],
    [{ snoozed_until: '2020-01-01T00:00:00Z' }, undefined],
    [{ status: 'open', snoozed_until: inAnHour }, 'invalid'],
  ])('%j is refused', async (fields, code) => {
    const it = await talk();
    const refused = steps.take('set_conversation_status', fields, about(it));
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request', ...(code && { details: [{ code }] }) });
    expect((await read(it)).status).toBe('open');
  });
});
