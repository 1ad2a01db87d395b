import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { bookingDocument, type FlowMade } from '../../support/factories/flow-at-provider.ts';
import { everythingLeftBy, leaks } from '../../support/leaks.ts';
import { bodyFor, newId } from '../../support/provider-body.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { answerFrom, flowMessage, flowOf, responses } from '../../support/sent-flows.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { allErased } from '../../support/stored/contacts.ts';
import { storedMessages, storedTemplates } from '../../support/stored/messaging.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Unmistakable, and long enough not to stand anywhere by chance. */
const words = {
  name: 'Zubeneschamali Quixworth',
  street: 'Oberhollabrunnergasse 4711',
  malformed: 'Unparseable Kirchenglockengeläut',
  token: 'token-of-Zubeneschamali-4711',
  data: 'prefilled-for-Zubeneschamali',
};
const secrets = Object.values(words);

const app = useApp({ workers: true, env: { WEBHOOK_TIMEOUT_MS: '500' } });
let channel: Channel;
let flow: FlowMade;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  // A receiver that answers with what it was sent leaves the answers in the log of attempts too.
  receiver.answer(({ raw }) => ({ headers: { 'x-echo': encodeURIComponent(raw) } }));
  const body = { url: receiver.url, event_types: ['flow.response_received', 'message.new'] };
  expect((await app.call('webhooks.endpoints.create', { body })).status).toBe(201);
  channel = await app.connect();
  flow = await flowOf(app, channel, { document: bookingDocument });
});
afterAll(() => receiver.close());

type Person = { phone: string; contactId: string; conversationId: string; providerId: string; messageId: string };

async function person(): Promise<Person> {
  const { phone, contactId, id: conversationId } = await app.conversation(channel);
  const payload = { flow_action_payload: { screen: 'DAY', data: { hint: words.data } } };
  const headers = { 'idempotency-key': newId() };
  const body = {
    channel_id: channel.id,
    to: `+${phone}`,
    ...flowMessage({ flow_id: flow.id, flow_token: words.token, ...payload }),
  };
  const { data } = (await app.call('messages.send', { body, headers })).body;
  const { provider_message_id: providerId } = await app.messageIn(data.id, 'read');
  return { phone, contactId, conversationId, providerId, messageId: data.id };
}

async function answer({ phone, providerId }: Person, response: object | string) {
  await app.webhook(bodyFor(channel, answerFrom(phone, response, { to: providerId })));
  await app.idle();
}

const stats = async () => (await app.call('flows.stats', { params: { flowID: flow.id } })).body;

describe('a person who is forgotten', () => {
  test('leaves no word of the answers in any table, event, stored reply or log; the counts stay', async () => {
    const one = await person();
    await answer(one, { name: words.name, address: { street: words.street } });
    await answer(one, words.malformed);
    await waitFor('the deliveries', () => receiver.ofType('flow.response_received').length === 2);
    await app.idle();
    const before = leaks(await everythingLeftBy(app), secrets).map((leak) => leak.split(' in ').at(-1));
    for (const place of ['messages', 'events', 'provider_webhooks', 'webhook_attempts', 'flow_responses', 'flow_sends'])
      expect(before).toContain(`public.${place}`);
    const counts = await stats();
    expect((await app.call('contacts.delete', { params: { contactID: one.contactId } })).status).toBe(204);
    expect(await responses(app)).toEqual([]);
    await waitFor('the job', () => allErased(app));
    await app.idle();
    expect(leaks(await everythingLeftBy(app), secrets)).toEqual([]);
    expect(await stats()).toEqual(counts);
    expect(counts).toEqual({ sent: 1, delivered: 1, read: 1, responded: 1 });
    const told = (await app.events(one.conversationId)).filter(({ type }) => type === 'flow.response_received');
    expect(told.map(({ data }) => [data.response, data.client_token, data.flow_id])).toEqual([
      ['', '', flow.id],
      ['', '', flow.id],
    ]);
    const { items } = (await app.call('messages.list', { query: { conversation_id: one.conversationId } })).body;
    expect(items.map(({ content }: Body) => content.type)).toEqual(['nfm_reply', 'nfm_reply', 'flow']);
    expect(items[0].content).toEqual({ type: 'nfm_reply', nfm_reply: { name: 'flow' } });
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test("leaves nothing of what a template's button filled into a flow", async () => {
    const button = { type: 'FLOW', text: 'Book', flow_id: flow.providerFlowId, flow_action: 'navigate', navigate_screen: 'DAY' };
    const components = [
      { type: 'BODY', text: 'Hello' },
      { type: 'BUTTONS', buttons: [button] },
    ];
    await storedTemplates.add(app, {
      organization_id: app.tenant.organizationId,
      channel_id: channel.id,
      provider_template_id: '1',
      name: 'book',
      language: 'en_US',
      category: 'utility',
      status: 'approved',
      components,
    });
    const { phone, contactId, id: conversationId } = await app.conversation(channel);
    const action = { flow_token: words.token, flow_action_data: { hint: words.data } };
    const filled = { type: 'button', sub_type: 'flow', index: '0', parameters: [{ type: 'action', action }] };
    const template = { name: 'book', language: 'en_US', components: [filled] };
    const sent = await app.text(channel, phone, { type: 'template', text: undefined, template });
    expect(sent.status).toBe(201);
    await app.idle();
    expect((await app.call('contacts.delete', { params: { contactID: contactId } })).status).toBe(204);
    await waitFor('the job', () => allErased(app));
    await app.idle();
    expect(leaks(await everythingLeftBy(app), [words.token, words.data])).toEqual([]);
    const { items } = (await app.call('messages.list', { query: { conversation_id: conversationId } })).body;
    expect(items[0].content.components).toEqual([{ type: 'button', sub_type: 'flow', index: '0' }]);
  });

  test('before the message of an answer is known: the answer is gone, and nothing is told', async () => {
    const one = await person();
    await app.idle();
    await storedMessages.change(app, one.messageId, { status: 'sending', provider_message_id: null });
    await app.webhook(bodyFor(channel, answerFrom(one.phone, { name: words.name }, { to: one.providerId })));
    await waitFor('the answer', async () => (await responses(app)).length === 1);
    expect((await app.call('contacts.delete', { params: { contactID: one.contactId } })).status).toBe(204);
    await storedMessages.change(app, one.messageId, { status: 'read' });
    await waitFor('its job', async () => (await storedJobs.count(app, { name: 'provider-webhooks.match-answer' })) === 0);
    const told = (await app.events(one.conversationId)).map(({ type }) => type);
    expect(told).not.toContain('flow.response_received');
    await waitFor('the erasure', () => allErased(app));
    expect(leaks(await everythingLeftBy(app), [words.name])).toEqual([]);
  });
});

test('two contacts that are merged: the survivor has the answers of both, in one conversation', async () => {
  const [survivor, merged] = [await person(), await person()];
  await answer(survivor, { day: 'mon' });
  await answer(merged, { day: 'tue' });
  const { status } = await app.call('contacts.merge', {
    params: { contactID: survivor.contactId },
    body: { contact_id: merged.contactId },
  });
  expect(status).toBe(200);
  const { items } = (
    await app.call('flows.responses.list', { params: { flowID: flow.id }, query: { contact_id: survivor.contactId } })
  ).body;
  expect(items.map((item: Body) => [item.response.day, item.contact_id, item.conversation_id])).toEqual([
    ['tue', survivor.contactId, survivor.conversationId],
    ['mon', survivor.contactId, survivor.conversationId],
  ]);
  expect(await stats()).toMatchObject({ responded: 3 });
});
