import { beforeAll, describe, expect, test } from '@jest/globals';
import { tokenOf } from '../../../src/flows/token.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import type { FlowMade } from '../../support/factories/flow-at-provider.ts';
import { bodyFor, newId, statusOf } from '../../support/provider-body.ts';
import { testSecrets } from '../../support/secrets.ts';
import { answerFrom, flowMessage, flowOf } from '../../support/sent-flows.ts';
import { waitFor } from '../../support/wait-for.ts';
import { flowResponseRows, flowRows, flowSendRows } from '../../support/work/flows.ts';
import { messageRows } from '../../support/work/messages.ts';
import { providerWebhookRows } from '../../support/work/provider-webhooks.ts';

const app = useApp({ workers: true });
let channel: Channel;
let flow: FlowMade;

beforeAll(async () => {
  channel = await app.connect();
  flow = await flowOf(app, channel);
});

type Sent = { id: string; phone: string; providerId: string; conversationId: string; contactId: string };

async function sent(parameters: object = { flow_token: 'booking-4711' }): Promise<Sent> {
  const { phone, id: conversationId, contactId } = await app.conversation(channel);
  const { data } = (await app.text(channel, phone, flowMessage({ flow_id: flow.id, ...parameters }))).body;
  const { provider_message_id: providerId } = await app.messageIn(data.id, 'read');
  return { id: data.id, phone, providerId, conversationId, contactId };
}

const ours = (id: string) => tokenOf(testSecrets, app.tenant.organizationId, id);

async function received(phone: string, response: object | string, named: { to?: string; id?: string } = {}) {
  const id = named.id ?? newId();
  expect((await app.webhook(bodyFor(channel, answerFrom(phone, response, { ...named, id })))).status).toBe(200);
  await app.idle();
  expect(await providerWebhookRows.all(app, { state: { $ne: 'applied' } }, ['errors'])).toEqual([]);
  const message = await messageRows.one(app, { provider_message_id: id });
  const [response_] = await flowResponseRows.all(app, { message_id: message.id });
  return { message, response: response_ as Body };
}
const told = async ({ id }: Body) =>
  (await app.events(app.tenant.organizationId))
    .filter(({ type, data }) => type === 'flow.response_received' && data.message_id === id)
    .map(({ data }) => data);

const answers = [
  { id: 'day', label: 'Which day suits you?', value: 'tue', text: 'Tuesday' },
  { id: 'name', label: 'Your name', value: 'Ada', text: 'Ada' },
];

describe('an answer', () => {
  test('is a message and a response with the labels of the version that was sent, told in one event', async () => {
    const { id, phone, providerId, conversationId, contactId } = await sent();
    const { message, response } = await received(phone, { flow_token: ours(id), day: 'tue', name: 'Ada' }, { to: providerId });
    expect(message).toMatchObject({ type: 'interactive', direction: 'inbound', conversation_id: conversationId });
    const data = { flow_token: 'booking-4711', day: 'tue', name: 'Ada' };
    expect(response).toMatchObject({
      flow_id: flow.id,
      sent_message_id: id,
      contact_id: contactId,
      conversation_id: conversationId,
      channel_id: channel.id,
      response: data,
      answers,
      is_malformed: false,
      client_token: 'booking-4711',
      received_at: message.created_at,
    });
    expect(await told(message)).toEqual([
      {
        response_id: response.id,
        flow_id: flow.id,
        message_id: message.id,
        conversation_id: conversationId,
        contact_id: contactId,
        channel_id: channel.id,
        organization_id: app.tenant.organizationId,
        client_token: 'booking-4711',
        response: data,
      },
    ]);
    expect((await flowSendRows.one(app, { message_id: id })).responded_at).not.toBeNull();
  });

  test('without a token of the client has none', async () => {
    const { id, phone, providerId } = await sent({});
    const { response } = await received(phone, { flow_token: ours(id), day: 'tue' }, { to: providerId });
    expect(response).toMatchObject({ flow_id: flow.id, client_token: null, response: { day: 'tue' } });
  });

  test('that comes twice is one', async () => {
    const { phone, providerId } = await sent();
    const id = newId();
    const { message } = await received(phone, { day: 'mon' }, { to: providerId, id });
    await received(phone, { day: 'mon' }, { to: providerId, id });
    expect(await flowResponseRows.count(app, { message_id: message.id })).toBe(1);
    expect(await told(message)).toHaveLength(1);
  });

  test('given again is another response, and counts once', async () => {
    const { phone, providerId, id } = await sent();
    await received(phone, { day: 'mon' }, { to: providerId });
    const [first] = await flowSendRows.all(app, { message_id: id }, ['responded_at']);
    await received(phone, { day: 'tue' }, { to: providerId });
    expect(await flowResponseRows.count(app, { sent_message_id: id })).toBe(2);
    expect(await flowSendRows.all(app, { message_id: id }, ['responded_at'])).toEqual([first]);
  });
});

describe('it is matched', () => {
  test('by the message it answers, without a token', async () => {
    const { id, phone, providerId } = await sent();
    const { response } = await received(phone, { day: 'mon' }, { to: providerId });
    expect(response).toMatchObject({ flow_id: flow.id, sent_message_id: id, client_token: 'booking-4711' });
  });

  test('by that message, whatever the token says', async () => {
    const [one, other] = [await sent(), await sent({ flow_token: 'other' })];
    const { response } = await received(one.phone, { flow_token: ours(other.id) }, { to: one.providerId });
    expect(response).toMatchObject({ sent_message_id: one.id, client_token: 'booking-4711' });
  });

  test('by our token where it names no message', async () => {
    const { id, phone } = await sent();
    for (const to of [undefined, newId()]) {
      const { response } = await received(phone, { flow_token: ours(id), day: 'mon' }, { to });
      expect(response).toMatchObject({ flow_id: flow.id, sent_message_id: id, client_token: 'booking-4711' });
    }
  });

  test('by an earlier send of a message that was sent again', async () => {
    const { id, phone, providerId } = await sent();
    await messageRows.change(app, id, { superseded_ids: [providerId], provider_message_id: `wamid.${id}` });
    const { response } = await received(phone, { day: 'mon' }, { to: providerId });
    expect(response).toMatchObject({ flow_id: flow.id, sent_message_id: id });
  });

  test.each<[string, (id: string) => string]>([
    ['forged', (id) => `${id}.${'A'.repeat(43)}`],
    ['of another message', (id) => `${id}.${ours('01932d5f-3a0e-7cc4-8f4e-0242ac12ffff').split('.')[1]}`],
    ['of another organization', (id) => tokenOf(testSecrets, '01932d5f-3a0e-7cc4-8f4e-0242ac12ffff', id)],
    ['cut', (id) => ours(id).slice(0, -1)],
    ['a message id alone', (id) => id],
    ['a word', () => 'booking-4711'],
  ])('not by a token that is %s: it is kept without a flow, and told', async (_what, token) => {
    const { id, phone } = await sent();
    const { message, response } = await received(phone, { flow_token: token(id), day: 'mon' });
    expect(response).toMatchObject({
      flow_id: null,
      sent_message_id: null,
      client_token: null,
      response: { flow_token: token(id), day: 'mon' },
      answers: [{ id: 'day', label: 'day', value: 'mon', text: 'mon' }],
    });
    expect(await told(message)).toMatchObject([{ flow_id: null, client_token: null, response: { day: 'mon' } }]);
  });

  test('not by a token of another channel’s message', async () => {
    const { phone } = await sent();
    const other = await app.connect();
    const opened = await flowOf(app, other);
    const { phone: otherPhone } = await app.conversation(other);
    const { data } = (await app.text(other, otherPhone, flowMessage({ flow_id: opened.id }))).body;
    await app.messageIn(data.id, 'read');
    const { response } = await received(phone, { flow_token: ours(data.id), day: 'mon' });
    expect(response).toMatchObject({ flow_id: null, client_token: null });
    // The token on the wire is nobody's answer.
    expect(response.response).toEqual({ day: 'mon' });
  });

  test.each([
    ['the message it answers', ({ providerId }: Sent) => [{ day: 'mon' }, { to: providerId }]],
    ['our token', ({ id }: Sent) => [{ flow_token: ours(id), day: 'mon' }, {}]],
    ['both', ({ id, providerId }: Sent) => [{ flow_token: ours(id), day: 'mon' }, { to: providerId }]],
  ] as [string, (of: Sent) => [object, { to?: string }]][])(
    'by %s, after its number was deleted and connected again',
    async (_what, given) => {
      const before = channel;
      const form = await sent();
      expect((await app.call('channels.delete', { params: { channelID: before.id } })).status).toBe(204);
      const account = { phone_number_id: before.phoneNumberId, waba_id: before.wabaId, access_token: before.accessToken };
      channel = await app.connect({ account });
      // The second is of a person whom the channel knows.
      for (let time = 0; time < 2; time += 1) {
        const { message, response } = await received(form.phone, ...given(form));
        expect(response).toMatchObject({
          flow_id: flow.id,
          sent_message_id: form.id,
          channel_id: channel.id,
          answers: [{ id: 'day', text: 'Monday' }],
        });
        expect(response.response).toMatchObject({ day: 'mon' });
        expect(response.response.flow_token ?? 'booking-4711').toBe('booking-4711');
        expect(await told(message)).toMatchObject([{ flow_id: flow.id, client_token: 'booking-4711' }]);
      }
      const { body } = await app.call('flows.responses.list', {
        params: { flowID: flow.id },
        query: { contact_id: form.contactId },
      });
      expect(body.items).toHaveLength(2);
    },
  );
});

describe('an answer that comes before the provider’s id of its message is known', () => {
  /** As a send whose answer was lost. */
  async function unanswered() {
    const before = await sent();
    await app.idle();
    await messageRows.change(app, before.id, { status: 'sending', provider_message_id: null });
    return before;
  }
  const wake = (messageId: string) =>
    waitFor('the answer', async () => {
      const [row] = await flowResponseRows.all(app, { message_id: messageId, flow_id: { $ne: null } }, ['flow_id']);
      return row !== undefined;
    });
  const deliver = async (phone: string, response: object, to: string) => {
    const id = newId();
    await app.webhook(bodyFor(channel, answerFrom(phone, response, { to, id })));
    const message: Body = await waitFor('the message', async () => (await messageRows.all(app, { provider_message_id: id }))[0]);
    return message;
  };

  test('is stored at once, and told with its flow when a status proves the send', async () => {
    const { id, phone, providerId } = await unanswered();
    const message = await deliver(phone, { day: 'tue', name: 'Ada' }, providerId);
    const [response] = await flowResponseRows.all(app, { message_id: message.id }, ['flow_id', 'answers']);
    expect(response!.flow_id).toBeNull();
    expect(await told(message)).toEqual([]);
    const status = { ...statusOf(providerId, 'delivered'), biz_opaque_callback_data: id };
    await app.webhook(bodyFor(channel, { statuses: [status] }));
    await wake(message.id);
    await app.idle();
    const [matched] = await flowResponseRows.all(app, { message_id: message.id });
    expect(matched).toMatchObject({ flow_id: flow.id, sent_message_id: id, client_token: 'booking-4711', answers });
    expect(await told(message)).toMatchObject([{ flow_id: flow.id, client_token: 'booking-4711', response_id: matched!.id }]);
  });

  test('needs no wait with a token', async () => {
    const { id, phone, providerId } = await unanswered();
    const message = await deliver(phone, { flow_token: ours(id), day: 'mon' }, providerId);
    expect(await told(message)).toMatchObject([{ flow_id: flow.id }]);
    await messageRows.change(app, id, { status: 'read', provider_message_id: providerId });
  });

  test('is told without a flow when the send was of another message', async () => {
    const { id, phone } = await unanswered();
    const message = await deliver(phone, { day: 'mon' }, newId());
    expect(await told(message)).toEqual([]);
    await messageRows.change(app, id, { status: 'read', provider_message_id: newId() });
    await waitFor('the event', async () => (await told(message)).length > 0);
    expect(await told(message)).toMatchObject([{ flow_id: null, response: { day: 'mon' } }]);
  });
});

describe('what was answered is kept whole:', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });

  test.each<[string, string]>([
    ['broken JSON', '{"day": "mon'],
    ['a text', 'Monday'],
    ['nothing', ''],
    ['a list', '["mon"]'],
    ['null', 'null'],
    ['an object nested too deep', JSON.stringify(deep(200))],
  ])('%s as a text, marked as malformed', async (_what, text) => {
    const { phone, providerId } = await sent();
    const { message, response } = await received(phone, text, { to: providerId });
    expect(response).toMatchObject({
      flow_id: flow.id,
      response: text,
      answers: [],
      is_malformed: true,
      client_token: 'booking-4711',
    });
    expect(await told(message)).toMatchObject([{ flow_id: flow.id, response: text }]);
  });

  test('names that every object has, NUL, half a surrogate pair, lists and objects', async () => {
    const { phone, providerId } = await sent();
    const text =
      '{"constructor":"a","toString":1,"nul":"a\\u0000b","half":"\\ud800","many":["mon","tue"],"none":null,"yes":true,"o":{"x":1}}';
    const { response } = await received(phone, text, { to: providerId });
    expect(response.is_malformed).toBe(false);
    expect(response.answers).toEqual([
      { id: 'constructor', label: 'constructor', value: 'a', text: 'a' },
      { id: 'toString', label: 'toString', value: 1, text: '1' },
      { id: 'nul', label: 'nul', value: 'a\ufffdb', text: 'a\ufffdb' },
      { id: 'half', label: 'half', value: '\ufffd', text: '\ufffd' },
      { id: 'many', label: 'many', value: ['mon', 'tue'], text: 'mon, tue' },
      { id: 'none', label: 'none', value: null, text: '' },
      { id: 'yes', label: 'yes', value: true, text: 'true' },
      { id: 'o', label: 'o', value: { x: 1 }, text: '{"x":1}' },
    ]);
  });

  test('what the sandbox’s phone answers, with and without the token', async () => {
    for (const with_token of [true, false]) {
      const { id, providerId } = await sent();
      const { message_id } = await app.control('POST', '/flow-answer', {
        message_id: providerId,
        response: { day: 'mon', name: 'Ada' },
        with_token,
      });
      await waitFor('the answer', async () => (await messageRows.count(app, { provider_message_id: message_id })) > 0);
      const [response] = await flowResponseRows.all(app, { sent_message_id: id });
      expect(response).toMatchObject({ flow_id: flow.id, client_token: 'booking-4711', response: { day: 'mon' } });
    }
  });
});

test('a flow that is deleted leaves its answers without it', async () => {
  const made = await flowOf(app, channel);
  const { phone } = await app.conversation(channel);
  const { data } = (await app.text(channel, phone, flowMessage({ flow_id: made.id, flow_token: 'mine' }))).body;
  const { provider_message_id: to } = await app.messageIn(data.id, 'read');
  await flowRows.remove(app, made.id);
  const { response } = await received(phone, { day: 'mon' }, { to });
  expect(response).toMatchObject({ flow_id: null, sent_message_id: data.id, client_token: 'mine' });
  expect(response.answers).toEqual([{ id: 'day', label: 'day', value: 'mon', text: 'mon' }]);
});
