import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { peopleOf } from '../../support/campaign-people.ts';
import { type ConversationMade, conversation } from '../../support/factories/conversation.ts';
import { flowAtProvider } from '../../support/factories/flow-at-provider.ts';
import { message } from '../../support/factories/message.ts';
import { inboundFrom, newId, statusOf, textFrom } from '../../support/provider-body.ts';
import { openProviderHouse, type ProviderHouse } from '../../support/provider-house.ts';
import { answerFrom } from '../../support/sent-flows.ts';
import { waitFor } from '../../support/wait-for.ts';
import { recipientRows } from '../../support/work/campaigns.ts';
import { eventRows } from '../../support/work/events.ts';
import { flowResponseRows, flowSendRows } from '../../support/work/flows.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { isLockAwaited } from '../../support/work/locks.ts';
import { conversationRows, messageRows } from '../../support/work/messages.ts';
import { deliveryRows, endpointRows } from '../../support/work/webhooks.ts';

let house: ProviderHouse;
beforeAll(async () => {
  house = await openProviderHouse();
});
afterAll(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});

const newTalk = () => conversation(house.em(), house.organizationId);
const digits = ({ contact }: ConversationMade) => contact.phone.slice(1);

/** Applies one body; its webhook's row, and the round trips. */
async function applied(talk: ConversationMade, value: object, statuses: object[] = []) {
  const { id, jobId } = await house.received(talk, statuses, value);
  const trips = await house.trips.during(async () => {
    expect(await house.apply(jobId)).toEqual({ kind: 'done' });
  });
  expect(await house.row(jobId)).toBeUndefined();
  return { trips, ...(await house.webhook(id)) };
}
const written = (talk: ConversationMade, more = {}) => applied(talk, inboundFrom(digits(talk), more));
const shown = async ({ id }: ConversationMade) =>
  (await conversationRows.all(house, id, ['status', 'unread_count', 'preview', 'profile_name']))[0];
const told = async ({ id }: ConversationMade) => eventRows.all(house, { subject_id: id }, ['type', 'data'], { seq: 'asc' });
const stored = ({ id }: ConversationMade) =>
  messageRows.all(house, { conversation_id: id }, ['type', 'content', 'contact_id', 'context_message_id'], { created_at: 'asc' });
const whole = { trips: 3, state: 'applied', errors: null };

describe('a body with a message of somebody who is known takes three round trips', () => {
  test('a text: stored, shown in its conversation and told', async () => {
    const talk = await newTalk();
    expect(await written(talk, { text: { body: 'Where is my order?' } })).toEqual(whole);
    expect(await stored(talk)).toEqual([
      { type: 'text', content: { body: 'Where is my order?' }, contact_id: talk.contact.id, context_message_id: null },
    ]);
    expect(await shown(talk)).toEqual({ status: 'open', unread_count: 1, preview: 'Where is my order?', profile_name: 'Sheena' });
    const events = await told(talk);
    expect(events.map(({ type }) => type)).toEqual(['message.new', 'conversation.updated']);
    expect(events[0]!.data).toMatchObject({ contact_id: talk.contact.id, from_phone: digits(talk), msg_type: 'text' });
    expect(events[1]!.data).toEqual({ conversation_id: talk.id, status: 'open', changed: ['preview', 'unread_count'] });
  });

  test('of a resolved conversation, which it opens', async () => {
    const talk = await newTalk();
    await conversationRows.change(house, talk.id, { status: 'resolved' });
    expect(await written(talk)).toEqual(whole);
    expect(await shown(talk)).toMatchObject({ status: 'open', unread_count: 1 });
    expect((await told(talk)).at(-1)!.data).toMatchObject({ status: 'open', changed: ['status', 'preview', 'unread_count'] });
  });

  test('written before the last one: the preview stays', async () => {
    const talk = await newTalk();
    await written(talk, { text: { body: 'Second' } });
    const earlier = String(Math.floor(Date.now() / 1000) - 60);
    expect(await written(talk, { text: { body: 'First' }, timestamp: earlier })).toEqual(whole);
    expect(await shown(talk)).toMatchObject({ unread_count: 2, preview: 'Second' });
    expect((await told(talk)).at(-1)!.data.changed).toEqual(['unread_count']);
  });
});

describe('an answer', () => {
  const button = { type: 'button', text: undefined, button: { text: 'Yes', payload: 'yes' } };

  /** A message that opened a flow. */
  async function opened(talk: ConversationMade) {
    const providerMessageId = newId();
    const id = await message(house.em(), house.organizationId, talk, { status: 'read', providerMessageId });
    const given = { accountId: newId() };
    const { id: flowId } = await flowAtProvider(house.em(), house.organizationId, talk.channel.id, given);
    await flowSendRows.add(house, {
      organization_id: house.organizationId,
      message_id: id,
      flow_id: flowId,
      version: 1,
      client_token: 'mine',
    });
    return { id, flowId, providerMessageId };
  }
  const responseTo = async (id: string) =>
    (await flowResponseRows.all(house, { sent_message_id: id }, ['flow_id', 'client_token', 'response', 'answers']))[0];

  test('to a flow takes as many round trips: with the response, told too', async () => {
    const talk = await newTalk();
    const { id, flowId, providerMessageId } = await opened(talk);
    const { trips, state } = await applied(talk, answerFrom(digits(talk), { day: 'tue' }, { to: providerMessageId }));
    expect([trips, state]).toEqual([3, 'applied']);
    expect(await responseTo(id)).toEqual({
      flow_id: flowId,
      client_token: 'mine',
      response: { day: 'tue' },
      answers: [{ id: 'day', label: 'Which day suits you?', value: 'tue', text: 'Tuesday' }],
    });
    expect((await told(talk)).map(({ type }) => type)).toEqual(['message.new', 'conversation.updated', 'flow.response_received']);
    expect((await flowSendRows.one(house, { message_id: id })).responded_at).not.toBeNull();
  });

  test('to what opened no flow goes the longer way, and is a response of none', async () => {
    const talk = await newTalk();
    const providerMessageId = newId();
    await message(house.em(), house.organizationId, talk, { status: 'read', providerMessageId });
    const { trips, state } = await applied(talk, answerFrom(digits(talk), { day: 'tue' }, { to: providerMessageId }));
    expect(trips).toBeGreaterThan(3);
    expect(state).toBe('applied');
    expect((await told(talk)).at(-1)!.type).toBe('flow.response_received');
  });

  test.each([
    ['flow', ['flow.response_received']],
    ['a_later_name', ['flow.response_received']],
    ['address_message', []],
  ])('in a form of the name %s', async (name, more) => {
    const talk = await newTalk();
    const interactive = { type: 'nfm_reply', nfm_reply: { name, body: 'Street 1', response_json: '{"values":{"city":"Pune"}}' } };
    const { state } = await written(talk, { type: 'interactive', text: undefined, interactive });
    expect(state).toBe('applied');
    expect((await told(talk)).map(({ type }) => type)).toEqual(['message.new', 'conversation.updated', ...more]);
    expect((await stored(talk)).at(-1)).toMatchObject({ type: 'interactive' });
  });

  test('by a button takes as many round trips', async () => {
    const talk = await newTalk();
    const providerMessageId = newId();
    const id = await message(house.em(), house.organizationId, talk, { status: 'read', providerMessageId });
    expect(await written(talk, { ...button, context: { from: '1', id: providerMessageId } })).toEqual(whole);
    expect((await stored(talk)).at(-1)).toMatchObject({ type: 'button', context_message_id: id });
  });

  test('by a button of a campaign goes the longer way, and is its click', async () => {
    const people = peopleOf(house);
    const talk = await newTalk();
    const { id, messageId } = await people.person(await people.running(), 'read', talk);
    const providerMessageId = newId();
    await messageRows.change(house, messageId, { provider_message_id: providerMessageId });
    const { trips, state } = await applied(
      talk,
      inboundFrom(digits(talk), { ...button, context: { from: '1', id: providerMessageId } }),
    );
    expect(trips).toBeGreaterThan(3);
    expect(state).toBe('applied');
    expect((await recipientRows.one(house, id)).clicked_at).not.toBeNull();
  });
});

test('two messages of one body are two writes, in their order, the second with the end', async () => {
  const talk = await newTalk();
  const [first, second] = ['First', 'Second'].map((body) => textFrom(digits(talk), { text: { body } }));
  const { trips, state } = await applied(talk, { ...inboundFrom(digits(talk)), messages: [first, second] });
  expect([trips, state]).toEqual([5, 'applied']);
  expect((await stored(talk)).map(({ content }) => content)).toEqual([{ body: 'First' }, { body: 'Second' }]);
  expect(await shown(talk)).toMatchObject({ preview: 'Second', unread_count: 2 });
});

test('a status behind a message is applied after it', async () => {
  const talk = await newTalk();
  const providerId = newId();
  const id = await message(house.em(), house.organizationId, talk, { status: 'sent', providerMessageId: providerId });
  const { trips, state } = await applied(talk, inboundFrom(digits(talk)), [statusOf(providerId, 'read')]);
  expect([trips, state]).toEqual([5, 'applied']);
  expect((await house.messageState(id)).status).toBe('read');
  expect(await shown(talk)).toMatchObject({ unread_count: 1 });
});

test('a repeat changes nothing, and its webhook is applied', async () => {
  const talk = await newTalk();
  const id = newId();
  await written(talk, { id });
  expect(await written(talk, { id })).toMatchObject({ state: 'applied', errors: null });
  expect(await stored(talk)).toHaveLength(1);
  expect(await shown(talk)).toMatchObject({ unread_count: 1 });
  expect(await told(talk)).toHaveLength(2);
});

test('a conversation that is resolved between the look and the write: what is told is as it is then', async () => {
  const talk = await newTalk();
  const { jobId } = await house.received(talk, [], inboundFrom(digits(talk)));
  const other = await house.database.pool.connect();
  try {
    await other.query('begin');
    await other.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`conversation:${talk.id}`]);
    const applying = house.apply(jobId);
    await waitFor('the write', () => isLockAwaited(house, { event: 'advisory' }));
    await other.query(`update conversations set status = 'resolved' where id = $1`, [talk.id]);
    await other.query('commit');
    expect(await applying).toEqual({ kind: 'done' });
  } finally {
    other.release();
  }
  expect(await shown(talk)).toMatchObject({ status: 'open', unread_count: 1 });
  expect((await told(talk)).map(({ data }) => data.changed)).toEqual([undefined, ['status', 'preview', 'unread_count']]);
});

test('twenty of one person at once: each once, and all are counted', async () => {
  const talk = await newTalk();
  const jobs = await Promise.all(Array.from({ length: 20 }, () => house.received(talk, [], inboundFrom(digits(talk)))));
  const ids = await jobRows.all(house, { subject_type: 'provider_webhook' }, ['id']);
  expect(ids).toHaveLength(jobs.length);
  await Promise.all(ids.map(({ id }) => house.apply(id)));
  expect(await stored(talk)).toHaveLength(20);
  expect(await shown(talk)).toMatchObject({ unread_count: 20 });
  expect(await told(talk)).toHaveLength(40);
});

// The last one: fills of the endpoint's pool follow it.
test('heard by an endpoint, as many round trips: each event has its delivery', async () => {
  const talk = await newTalk();
  const endpointId = await endpointRows.add(house, {
    organization_id: house.organizationId,
    url: 'https://example.com',
    event_types: ['message.new', 'conversation.updated'],
    ordering: 'best_effort',
    secret: '',
  });
  expect(await written(talk)).toEqual(whole);
  const delivered = (await deliveryRows.all(house, { endpoint_id: endpointId })).map(({ event_id }) => event_id);
  const events = await eventRows.all(house, { id: { $in: delivered } }, ['type', 'subject_id'], { seq: 'asc' });
  expect(events).toEqual(['message.new', 'conversation.updated'].map((type) => ({ type, subject_id: talk.id })));
  await jobRows.remove(house, { subject_type: 'webhook_delivery' });
  await deliveryRows.remove(house);
  await endpointRows.remove(house, endpointId);
});
