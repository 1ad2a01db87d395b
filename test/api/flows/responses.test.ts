import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import type { FlowMade } from '../../support/factories/flow-at-provider.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { bodyFor } from '../../support/provider-body.ts';
import { answerFrom, flowMessage, flowOf } from '../../support/sent-flows.ts';
import { storedFlows } from '../../support/stored/flows.ts';
import { storedMessages } from '../../support/stored/messaging.ts';

const app = useApp({ workers: true });
let channel: Channel;
let flow: FlowMade;
const people: { phone: string; contactId: string; providerId: string; messageId: string }[] = [];

beforeAll(async () => {
  channel = await app.connect();
  flow = await flowOf(app, channel);
  for (const _ of ['one', 'two', 'silent']) {
    const { phone, contactId } = await app.conversation(channel);
    const { data } = (await app.text(channel, phone, flowMessage({ flow_id: flow.id, flow_token: phone }))).body;
    const { provider_message_id: providerId } = await app.messageIn(data.id, 'read');
    people.push({ phone, contactId, providerId, messageId: data.id });
  }
  await answer(0, { day: 'mon' });
  await answer(0, 'not JSON');
  await answer(1, { day: 'tue' });
  await answer(1, { day: 'mon', name: 'Ada' });
  await app.idle();
});

async function answer(who: number, response: object | string) {
  const { phone, providerId } = people[who]!;
  await app.webhook(bodyFor(channel, answerFrom(phone, response, { to: providerId })));
  await app.idle();
}

const list = (query: Record<string, string | number | boolean> = {}, flowID = flow.id) =>
  app.call('flows.responses.list', { params: { flowID }, query });
const shown = async (query: Parameters<typeof list>[0] = {}) =>
  (await list(query)).body.items.map(({ response }: Body) => response.day ?? response);

describe('the list', () => {
  test('is newest first, and shows each answer whole', async () => {
    const { status, body } = await list();
    expect([status, body.items.length, body.meta]).toEqual([200, 4, { has_more: false, limit: 25 }]);
    const { phone, contactId, messageId } = people[1]!;
    expect(body.items[0]).toEqual({
      id: expect.any(String),
      flow_id: flow.id,
      message_id: expect.any(String),
      sent_message_id: messageId,
      contact_id: contactId,
      conversation_id: expect.any(String),
      channel_id: channel.id,
      response: { day: 'mon', name: 'Ada' },
      answers: [
        { id: 'day', label: 'Which day suits you?', value: 'mon', text: 'Monday' },
        { id: 'name', label: 'Your name', value: 'Ada', text: 'Ada' },
      ],
      is_malformed: false,
      client_token: phone,
      received_at: expect.any(String),
    });
    expect(await shown()).toEqual(['mon', 'tue', 'not JSON', 'mon']);
  });

  test('goes on page by page, each answer once', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await list({ limit: 1, ...(cursor && { cursor }) });
      seen.push(...body.items.map(({ id }: Body) => id));
      cursor = body.meta.next_cursor;
    } while (cursor);
    expect(seen).toEqual((await list()).body.items.map(({ id }: Body) => id));
  });

  test('is filtered by contact, by time and by being malformed, and counted', async () => {
    const { items } = (await list()).body;
    expect(await shown({ contact_id: people[0]!.contactId })).toEqual(['not JSON', 'mon']);
    expect(await shown({ contact_id: people[2]!.contactId })).toEqual([]);
    expect(await shown({ malformed: true })).toEqual(['not JSON']);
    expect(await shown({ malformed: false })).toEqual(['mon', 'tue', 'mon']);
    expect(await shown({ malformed: true, contact_id: people[1]!.contactId })).toEqual([]);
    expect(await shown({ since: items[1].received_at, until: items[0].received_at })).toEqual(['tue']);
    expect((await list({ include_total: true, limit: 1, malformed: false })).body.meta.total).toBe(3);
  });

  test.each<[string, Record<string, string | number>, string]>([
    ['a contact that is no id', { contact_id: 'x' }, 'contact_id'],
    ['a time that is none', { since: 'soon' }, 'since'],
    ['a word for malformed', { malformed: 'maybe' }, 'malformed'],
    ['a filter that is not there', { token: 'x' }, 'token'],
    ['a page of none', { limit: 0 }, 'limit'],
  ])('refuses %s', async (_what, query, field) => {
    const { status, body } = await list(query);
    expect([status, body.error.details[0].field]).toEqual([422, field]);
  });

  test('a cursor of other filters is a 400', async () => {
    const { next_cursor: cursor } = (await list({ limit: 1 })).body.meta;
    expect((await list({ limit: 1, malformed: true, cursor })).status).toBe(400);
  });

  test('of a flow that is not there is a 404', async () => {
    for (const id of ['01932d5f-3a0e-7cc4-8f4e-0242ac12ffff', 'x']) expect((await list({}, id)).status).toBe(404);
    const leaving = await flowOf(app, channel);
    await storedFlows.change(app, leaving.id, { doing: 'delete' });
    expect((await list({}, leaving.id)).status).toBe(404);
  });
});

test('the counts: each message once, an answered one as read', async () => {
  const stats = async () => (await app.call('flows.stats', { params: { flowID: flow.id } })).body;
  expect(await stats()).toEqual({ sent: 3, delivered: 3, read: 3, responded: 2 });
  await storedMessages.change(app, { id: [people[0]!.messageId, people[2]!.messageId] }, { status: 'failed' });
  expect(await stats()).toEqual({ sent: 2, delivered: 2, read: 2, responded: 2 });
  await storedMessages.change(app, people[2]!.messageId, { status: 'delivered' });
  expect(await stats()).toEqual({ sent: 3, delivered: 3, read: 2, responded: 2 });
  const none = await flowOf(app, channel);
  expect((await app.call('flows.stats', { params: { flowID: none.id } })).body).toEqual({
    sent: 0,
    delivered: 0,
    read: 0,
    responded: 0,
  });
});

test('one is read and deleted: its message and the counts stay', async () => {
  const { items } = (await list()).body;
  const [last] = items;
  const params = { flowID: flow.id, responseID: last.id };
  expect((await app.call('flows.responses.get', { params })).body).toEqual(last);
  const other = await flowOf(app, channel);
  expect((await app.call('flows.responses.get', { params: { ...params, flowID: other.id } })).status).toBe(404);
  expect((await app.call('flows.responses.delete', { params: { ...params, flowID: other.id } })).status).toBe(404);
  expect((await app.call('flows.responses.delete', { params })).status).toBe(204);
  const acts = await listedActs(app, { action: 'flows.responses.delete' }, { columns: ['subject'] });
  expect(acts).toEqual([{ subject: `flow_response:${last.id}` }]);
  expect((await app.call('flows.responses.get', { params })).status).toBe(404);
  expect((await app.call('flows.responses.delete', { params })).status).toBe(404);
  expect((await list()).body.items).toEqual(items.slice(1));
  expect((await app.call('messages.get', { params: { messageID: last.message_id } })).status).toBe(200);
  expect((await app.call('flows.stats', { params: { flowID: flow.id } })).body.responded).toBe(2);
});
