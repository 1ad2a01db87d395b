import { beforeAll, describe, expect, test } from '@jest/globals';
import { catalogue } from '../../../src/platform/events/catalogue.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';
import { rule } from '../../support/factories/automation.ts';
import { contact } from '../../support/factories/contact.ts';
import { conversation } from '../../support/factories/conversation.ts';
import { message } from '../../support/factories/message.ts';
import { wholeDump } from '../../support/whole-dump.ts';

const app = useApp({});
let contactId: string;
let ruleId: string;

const lists = (came: object[], late: object[]) =>
  Object.fromEntries([
    ['on_event', came],
    ['on_timeout', late],
  ]);
const steps = [
  { id: 'tag', type: 'add_tag', tag: '{{ contact.name | downcase }}' },
  { id: 'set', type: 'set_vars', vars: { who: '{{ contact.name }}' } },
  {
    id: 'choose',
    type: 'branch',
    branches: [
      { conditions: { field: 'contact.name', operator: 'eq', value: 'Nobody' }, steps: [{ id: 'no', type: 'stop' }] },
      {
        conditions: { field: 'contact.name', operator: 'eq', value: 'Ada' },
        steps: [{ id: 'w', type: 'wait', for: { days: 2 } }],
      },
    ],
  },
  {
    ...{ id: 'ask', type: 'wait_for', event: 'message.new', timeout: { hours: 1 } },
    ...lists(
      [{ id: 'note', type: 'add_note', body: 'From {{ vars.who }}: {{ steps.tag.tag }}' }],
      [{ id: 'end', type: 'stop', reason: 'late' }],
    ),
  },
  { id: 'deal', type: 'move_deal', stage_id: uuidv7() },
] as never;

beforeAll(async () => {
  const { organizationId } = app.tenant;
  contactId = (await contact(app.em(), organizationId, { name: 'Ada' })).id;
  const conditions = { all: [{ field: 'contact.name', operator: 'eq', value: 'Ada' }] };
  const exit_when = { field: 'contact.email', operator: 'eq', value: 'gone@example.com' };
  ruleId = (await rule(app.em(), organizationId, { definition: { steps, conditions, exit_when } })).id;
});

const call = (body: object, more: object = {}) =>
  app.call('automation.rules.test', { params: { ruleID: ruleId }, body, ...more });

test('what each condition saw, and what each step would do, rendered; nothing is written', async () => {
  // The key is used from now on.
  await app.call('automation.catalogue');
  const before = await wholeDump(app);
  const { status, body } = await call({ subject: { type: 'contact', id: contactId } });
  expect(status).toBe(200);
  expect(await wholeDump(app)).toEqual(before);
  expect(body).toMatchObject({ subject_type: 'contact', subject_id: contactId, contact_id: contactId });
  expect(body.conditions).toMatchObject({
    holds: true,
    seen: [{ path: 'all[0]', field: 'contact.name', actual: 'Ada', holds: true }],
  });
  expect(body.exit_when).toMatchObject({ holds: false });
  const shown = body.steps.map(({ step_id, does, within, input, error }: Record<string, unknown>) => [
    step_id,
    does,
    within,
    input,
    error,
  ]);
  expect(shown).toEqual([
    ['tag', 'act', null, { tag: 'ada' }, null],
    ['set', 'set', null, { vars: { who: 'Ada' } }, null],
    ['choose', 'choose', null, null, null],
    ['w', 'wait', { step_id: 'choose', list: 'branches[1]' }, { until: expect.any(String) }, null],
    ['ask', 'wait', null, { event: 'message.new', until: expect.any(String) }, null],
    ['note', 'act', { step_id: 'ask', list: 'on_event' }, { body: 'From {{ vars.who }}: {{ steps.tag.tag }}' }, null],
    ['end', 'stop', { step_id: 'ask', list: 'on_timeout' }, { reason: 'late' }, null],
    [
      'deal',
      'act',
      null,
      expect.anything(),
      { code: 'invalid_request', message: expect.stringContaining('The run is about no deal') },
    ],
  ]);
  expect(body.steps[2]).toMatchObject({ branch: 1, conditions: [{ holds: false }, { holds: true }] });
  expect(body.steps[5]).toMatchObject({ is_rendered: false });
});

test('with an event that is made up', async () => {
  const event = { type: 'contact.updated', data: { contact_id: contactId, name: 'Ada', changed: ['name'] } };
  const { status, body } = await call({ event });
  expect(status).toBe(200);
  expect(body).toMatchObject({ subject_type: 'contact', subject_id: contactId, conditions: { holds: true } });
});

describe('whether the trigger begins with the event', () => {
  const keyword = { type: 'keyword', match: 'contains', keywords: ['Offér'] };
  const told = (name: string) => ({ type: 'automation.event', data: { contact_id: contactId, name, data: {} } });
  const updated = () => ({ type: 'contact.updated', data: { contact_id: contactId, name: 'Ada', changed: ['name'] } });

  async function saying(body: string) {
    const talk = await conversation(app.em(), app.tenant.organizationId);
    const message_id = await message(app.em(), app.tenant.organizationId, talk, { direction: 'inbound', body });
    const ids = { message_id, conversation_id: talk.id, contact_id: talk.contact.id, channel_id: talk.channel.id };
    return { type: 'message.new', data: { ...ids, direction: 'inbound', from_phone: '', msg_type: 'text' } };
  }

  test.each<[string, object, () => object | Promise<object>, boolean]>([
    ['its type', { type: 'event', event: 'contact.updated' }, updated, true],
    ['another type', { type: 'event', event: 'contact.created' }, updated, false],
    ['its name', { type: 'api', name: 'trial_started' }, () => told('trial_started'), true],
    ['another name', { type: 'api', name: 'trial_started' }, () => told('trial_ended'), false],
    ['a rule for the hand', { type: 'manual' }, updated, false],
    ['its words', keyword, () => saying('Any OFFER today?'), true],
    ['other words', keyword, () => saying('Good morning'), false],
    ['an event that is no message', keyword, updated, false],
  ])('%s', async (_, trigger, event, is_triggered) => {
    const made = await rule(app.em(), app.tenant.organizationId, { definition: { trigger: trigger as never } });
    const { status, body } = await app.call('automation.rules.test', {
      params: { ruleID: made.id },
      body: { event: await event() },
    });
    expect([status, body.is_triggered]).toEqual([200, is_triggered]);
  });

  test('a subject alone has none', async () => {
    expect((await call({ subject: { type: 'contact', id: contactId } })).body).toMatchObject({ is_triggered: null });
  });

  test.each(['message_id', 'conversation_id', 'contact_id'])('an event that is made up, whose %s is none: 422', async (name) => {
    const event = await saying('x');
    const { status, body } = await call({ event: { ...event, data: { ...event.data, [name]: 'none' } } });
    expect([status, body.error.details[0].field]).toEqual([422, `event.data.${name}`]);
    expect((await call({ event: { ...event, data: { ...event.data, [name]: '' } } })).status).toBe(422);
  });

  test.each(catalogue)('an event of the catalogue, $type: its example is read, or its subject is not there', async (one) => {
    const { organization_id: _, ...data } = one.example as Record<string, unknown>;
    const { status, body } = await call({ event: { type: one.type, data } });
    expect([one.type, status === 200 || body.error.details[0].code === 'subject.unknown']).toEqual([one.type, true]);
  });
});

test.each([
  ['none of the three', {}, ''],
  ['two of the three', { event_id: uuidv7(), subject: { type: 'contact', id: uuidv7() } }, ''],
  ['an event that is not there', { event_id: uuidv7() }, 'event_id'],
  ['a contact that is not there', { subject: { type: 'contact', id: uuidv7() } }, 'subject.id'],
  ['an unknown type', { event: { type: 'contact.flew', data: {} } }, 'event.type'],
  ['an event without its ids', { event: { type: 'contact.updated', data: {} } }, 'event.data'],
  [
    'a subject of the event that is not there',
    { event: { type: 'contact.updated', data: { contact_id: uuidv7(), name: '', changed: [] } } },
    'event.data',
  ],
])('%s: 422', async (_, body, field) => {
  const reply = await call(body);
  expect(reply.status).toBe(422);
  if (field) expect(reply.body.error?.details ?? reply.body.details).toMatchObject([{ field }]);
});

test('a rule that is not there, or was deleted: 404', async () => {
  const reply = await app.call('automation.rules.test', {
    params: { ruleID: uuidv7() },
    body: { subject: { type: 'contact', id: contactId } },
  });
  expect(reply.status).toBe(404);
});

test('it takes contacts:read too', async () => {
  const { key } = (await app.call('api-keys.create', { body: { name: 'Narrow', scopes: ['automation:write'] } })).body;
  const reply = await call({ subject: { type: 'contact', id: contactId } }, { key });
  expect(reply.status).toBe(403);
});

describe('what a test shows is bounded', () => {
  const told = (data: object) => ({ event: { type: 'automation.event', data: { contact_id: contactId, name: 'x', data } } });
  const asking = (count: number) => Array.from({ length: count }, () => ({ field: 'event.data.x', operator: 'is_not_empty' }));
  const trialOf = async (definition: object, data: object) => {
    const made = await rule(app.em(), app.tenant.organizationId, { definition: definition as never });
    return app.call('automation.rules.test', { params: { ruleID: made.id }, body: told(data) });
  };

  test('an event of more than 32 kB is a 422', async () => {
    const { status, body } = await call(told({ x: 'x'.repeat(33_000) }));
    expect(status).toBe(422);
    expect(body.error.details).toMatchObject([{ field: 'event.data', code: 'data.size' }]);
  });

  test('of a long text, list or object that a condition saw the first 200 characters', async () => {
    const seenOf = async (x: unknown) =>
      (await trialOf({ conditions: { all: asking(1) } }, { x })).body.conditions.seen[0].actual;
    expect(await seenOf('y'.repeat(200))).toBe('y'.repeat(200));
    expect(await seenOf('y'.repeat(16_000))).toBe(`${'y'.repeat(200)}…`);
    expect(await seenOf([1, 2])).toEqual([1, 2]);
    expect(await seenOf(['y'.repeat(300)])).toBe(`["${'y'.repeat(198)}…`);
  });

  test('500 conditions in all; the others are asked too', async () => {
    const never = { all: [...asking(49), { field: 'event.data.x', value: 'no' }] };
    const branches = Array.from({ length: 10 }, () => ({ conditions: never, steps: [{ id: 'no', type: 'stop' }] }));
    branches.push({ conditions: { all: asking(1) } as never, steps: [{ id: 'end', type: 'stop' }] });
    const { status, body } = await trialOf(
      { conditions: { all: asking(50) }, steps: [{ id: 'choose', type: 'branch', branches }] },
      { x: 'y' },
    );
    expect(status).toBe(200);
    const [choice] = body.steps;
    expect(choice.branch).toBe(10);
    const shown = choice.conditions.map(({ seen }: { seen: object[] }) => seen.length);
    expect(shown).toEqual([...Array.from({ length: 9 }, () => 50), 0, 0]);
    expect(body.conditions.seen).toHaveLength(50);
  });

  test('a step that would set more variables than a run has is told as refused', async () => {
    const steps = Array.from({ length: 3 }, (_, n) => ({
      id: `s${n}`,
      type: 'set_vars',
      vars: { [`v${n}`]: '{{ event.data.x }}' },
    }));
    const { body } = await trialOf({ steps }, { x: 'y'.repeat(7_000) });
    expect(body.steps.map(({ error }: { error: { code: string } | null }) => error?.code)).toEqual([
      undefined,
      undefined,
      'limit_reached',
    ]);
  });
});

test('a time in a text is shown by the clock of the organization', async () => {
  await app.call('organization.update', { body: { timezone: 'Asia/Jakarta' } });
  const text = '{{ "2026-12-30T17:30:00Z" | date: "%d %B" }}';
  const definition = { steps: [{ id: 'set', type: 'set_vars', vars: { day: text } }] as never };
  const { id } = await rule(app.em(), app.tenant.organizationId, { definition });
  const { body } = await call({ subject: { type: 'contact', id: contactId } }, { params: { ruleID: id } });
  expect(JSON.stringify(body)).toContain('31 December');
  await app.call('organization.update', { body: { timezone: 'UTC' } });
});
