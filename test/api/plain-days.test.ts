import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../support/app.ts';
import { channelWithTemplates } from '../support/campaign-drafts.ts';
import { rule } from '../support/factories/automation.ts';
import { contact } from '../support/factories/contact.ts';

const app = useApp();
const dayMs = 86_400_000;
const dayIn = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);
const day = dayIn(3);
/** By the clock of Jakarta, which is seven hours ahead of UTC. */
const start = new Date(Date.parse(day) - 7 * 3_600_000).toISOString();
const end = new Date(Date.parse(start) + dayMs - 1).toISOString();

let channel: Channel;
let conversation: { id: string; contactId: string; phone: string };
beforeAll(async () => {
  channel = await channelWithTemplates(app);
  conversation = await app.conversation(channel);
  await app.call('organization.update', { body: { timezone: 'Asia/Jakarta' } });
});

const done = async (operation: string, input: object): Promise<Body> => {
  const { status, body } = await app.call(operation, input);
  expect([operation, Math.floor(status / 100), body.error]).toEqual([operation, 2, undefined]);
  return body;
};
const discount = (fields: object) =>
  done('commerce.discounts.create', {
    body: { code: `C${Math.random()}`.replace('.', ''), kind: 'percent', value: 10, ...fields },
  });
const task = (fields: object) => done('crm.tasks.create', { body: { title: 'Call', ...fields } });

describe('a day stands for its beginning in the zone of the organization:', () => {
  test.each<[string, () => Promise<Body>]>([
    ['remind_at', () => task({ remind_at: day })],
    ['starts_at', () => discount({ starts_at: day })],
    ['expected_close_at', () => done('crm.deals.create', { body: { title: 'Renewal', expected_close_at: day } })],
    [
      'snoozed_until',
      () => done('conversations.update', { params: { conversationID: conversation.id }, body: { snoozed_until: day } }),
    ],
    [
      'send_at',
      async () => {
        const template = {
          name: 'greeting',
          language: 'en_US',
          components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }],
        };
        const body = { channel_id: channel.id, to: conversation.phone, type: 'template', template, send_at: day };
        return (await done('messages.send', { body })).data;
      },
    ],
    [
      'effective_at',
      async () => {
        const rates = [{ base: 'EUR', quote: 'USD', rate: '1.1', effective_at: day }];
        return (await done('crm.exchange-rates.put', { body: { rates } })).items[0];
      },
    ],
  ])('%s', async (field, make) => {
    expect((await make())[field]).toBe(start);
  });
});

describe('a day stands for its last millisecond where it ends something:', () => {
  test.each<[string, () => Promise<Body>]>([
    ['due_at', () => task({ due_at: day })],
    ['ends_at', () => discount({ starts_at: day, ends_at: day })],
    [
      'expires_at',
      async () => {
        const { id } = await contact(app.em(), app.tenant.organizationId);
        const body = { channel: 'email', reason: 'manual', expires_at: day };
        return (await done('contacts.suppressions.create', { params: { contactID: id }, body })).data;
      },
    ],
    ['expires_at', () => done('api-keys.create', { body: { name: 'Till', scopes: ['messages:read'], expires_at: day } })],
  ])('%s', async (field, make) => {
    expect((await make())[field]).toBe(end);
  });

  test('also where it is changed', async () => {
    const { id } = await task({ due_at: dayIn(9) });
    expect((await done('crm.tasks.update', { params: { taskID: id }, body: { due_at: day } })).due_at).toBe(end);
  });
});

describe('a day in a query:', () => {
  test('tasks due before and after it', async () => {
    const dayOf = async (query: object) => {
      const { items } = await done('crm.tasks.list', { query });
      return items.map(({ due_at }: Body) => due_at);
    };
    const due = dayIn(20);
    const { due_at } = await task({ due_at: due });
    const next = dayIn(21);
    expect(await dayOf({ due_after: due, due_before: next })).toEqual([due_at]);
    expect(await dayOf({ due_after: next })).toEqual([]);
  });

  test('messages since', async () => {
    const { id } = (await app.text(channel, conversation.phone)).body.data;
    const since = new Date(Date.now() + 7 * 3_600_000).toISOString().slice(0, 10);
    const { items } = await done('messages.list', { query: { since } });
    expect(items.map((one: Body) => one.id)).toContain(id);
  });
});

test.each([
  ['crm.tasks.create', { title: 'Call', due_at: '2026-02-30' }, 'due_at', 'string.isoDate'],
  ['crm.tasks.create', { title: 'Call', remind_at: '2026-12-31T10:00:00' }, 'remind_at', 'string.isoDate'],
  ['crm.deals.create', { title: 'Renewal', expected_close_at: '1000-01-01' }, 'expected_close_at', 'string.isoDate'],
  ['api-keys.create', { name: 'Till', scopes: ['messages:read'], expires_at: '2020-01-01' }, 'expires_at', 'date.greater'],
  ['api-keys.create', { name: 'Till', scopes: ['messages:read'], expires_at: '2026-02-30' }, 'expires_at', 'string.isoDate'],
])('%s refuses %j', async (operation, body, field, code) => {
  const reply = await app.call(operation, { body });
  expect(reply.status).toBe(422);
  expect(reply.body.error.details).toMatchObject([{ field, code }]);
});

test('a field of a rule that is a day is read when the rule runs', async () => {
  const steps = [
    { id: 'task', type: 'create_task', title: 'Call', due_at: day },
    { id: 'set', type: 'set_field', on: 'task', task_id: '{{ steps.task.task_id }}', field: 'remind_at', value: day },
  ];
  const saved = await done('automation.rules.create', {
    body: { name: 'Days', trigger: { type: 'manual' }, steps },
  });
  expect(JSON.stringify(saved)).toContain(`"due_at":"${day}"`);
  const { id } = await rule(app.em(), app.tenant.organizationId, { definition: { steps: steps as never } });
  const tried = await done('automation.rules.test', {
    params: { ruleID: id },
    body: { subject: { type: 'contact', id: conversation.contactId } },
  });
  expect(tried.steps.map(({ error }: Body) => error)).toEqual([null, null]);
});
