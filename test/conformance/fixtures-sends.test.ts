import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { createProviders, type Providers } from '../../src/providers/index.ts';
import type { MessagingApp } from '../../src/providers/messaging-app/provider.ts';
import { type Channel, useApp } from '../support/app.ts';
import { bookingDocument, flowAtProvider } from '../support/factories/flow-at-provider.ts';
import { message } from '../support/factories/message.ts';
import { collectingLog } from '../support/log.ts';
import { storedFlows } from '../support/stored/flows.ts';
import { waitFor } from '../support/wait-for.ts';
import { describeExamples, filled, type Json } from './fixtures.ts';
import { ownMessages } from './own-examples.ts';
import { templateFor } from './template-for.ts';

const app = useApp({ workers: true });
let providers: Providers;
let messagingApp: MessagingApp;
beforeAll(() => {
  providers = createProviders({ messagingAppUrl: app.sandboxUrl, providerTimeoutMs: 2_000 }, new Registry(), collectingLog().log);
  messagingApp = providers.messagingApp;
});
afterAll(() => providers.close());

type Account = Omit<Channel, 'id' | 'tenant'>;

/** The example with values for its placeholders, and an account that has the template and the media it names. */
async function prepared(example: Json): Promise<{ body: Json; account: Account }> {
  const words = filled(example, [[/^language-and-locale-code$/, 'en_US']]);
  const account = await app.account({ templates: words.template ? [templateFor(words.template)] : [] });
  const media = await upload(account, uploadTypes[words.type] ?? 'image/png');
  const opened = words.interactive?.action?.parameters;
  if (words.interactive?.type === 'flow') {
    const status = opened.mode === 'draft' ? 'DRAFT' : 'PUBLISHED';
    await app.control('POST', '/flows', { waba_id: account.wabaId, id: '21', name: 'Example', status });
  }
  const body = filled(words, [
    [/^\{\{Recipient-(WA-)?Phone-Number\}\}$/, '+16505551234'],
    [/^<?http\(s\):\/\//, 'https://example.com/file'],
    [/^<\w+_OBJECT_ID>$/, media],
    [/^\{\{Flow-ID\}\}$/, '21'],
    [/^\{\{Flow-Name\}\}$/, 'Example'],
  ]);
  return { body, account };
}

const uploadTypes: Record<string, string> = {
  image: 'image/png',
  video: 'video/mp4',
  audio: 'audio/ogg',
  document: 'application/pdf',
  sticker: 'image/webp',
};

async function upload({ phoneNumberId, accessToken }: Account, type: string): Promise<string> {
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('file', new Blob(['x'], { type }));
  const headers = { authorization: `Bearer ${accessToken}` };
  const response = await fetch(`${app.sandboxUrl}/${phoneNumberId}/media`, { method: 'POST', headers, body: form });
  return ((await response.json()) as { id: string }).id;
}

async function ask({ phoneNumberId, accessToken }: Account, body: object) {
  const response = await fetch(`${app.sandboxUrl}/v23.0/${phoneNumberId}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

const arrived = async ({ phoneNumberId }: Account): Promise<Json[]> =>
  (await app.control('GET', `/requests?method=POST&path=${phoneNumberId}/messages`)).requests.map(({ body }: Json) => body);
const typeOf = (body: Json): string => body.type ?? ['text', 'interactive'].find((type) => body[type]);

/** How we keep the content of a message: an object, also where the provider has a list. */
function contentOf(body: Json): Json {
  const type = typeOf(body);
  if (type === 'template') return { ...body.template, language: body.template.language.code };
  return type === 'contacts' ? { contacts: body.contacts } : body[type];
}

/** What we write more than an example does, and how we name a language: `deterministic` is the provider's only policy, and its default. */
function asWeWriteIt(body: Json, more: object): Json {
  const type = typeOf(body);
  const content = type === 'template' ? { ...body.template, language: { code: body.template.language.code } } : body[type];
  return { recipient_type: 'individual', ...body, type, [type]: content, ...more };
}

describeExamples('messages', 'send-requests.json', ownMessages, (examples) => {
  const all = Object.entries(examples);

  test.each(all)('%s: the sandbox takes it', async (_name, example) => {
    const { body, account } = await prepared(example);
    const reply = await ask(account, body);
    expect(reply).toMatchObject({ status: 200, body: { messaging_product: 'whatsapp', messages: [{ id: expect.any(String) }] } });
  });

  test.each(all)('%s: our adapter writes the same', async (_name, example) => {
    const { body, account } = await prepared(example);
    const type = typeOf(body);
    const accepted = await messagingApp.send(
      { ...account, accountId: account.wabaId },
      {
        callbackData: 'ours',
        toPhone: body.to,
        type,
        content: contentOf(body),
        ...((body.context ?? body.reaction) && { contextId: (body.context ?? body.reaction).message_id }),
      },
    );
    expect(accepted).toMatchObject({ providerMessageId: expect.stringMatching(/^wamid\./) });
    expect(await arrived(account)).toEqual([asWeWriteIt(body, { biz_opaque_callback_data: 'ours' })]);
  });

  test.each(all)('%s: through the whole product', async (_name, example) => {
    const { body, account } = await prepared(example);
    const connect = { phone_number_id: account.phoneNumberId, waba_id: account.wabaId, access_token: account.accessToken };
    const { id } = (await app.call('channels.connect', { body: { ...connect, rate: 1_000 } })).body;
    await app.idle();
    const channel = { id, ...account, tenant: app.tenant };
    const { phone, ...conversation } = await app.conversation(channel);
    const type = typeOf(body);
    const wire = type === 'template' ? contentOf(body) : body[type];
    const opened = body.interactive?.action?.parameters;
    const isFlow = body.interactive?.type === 'flow';
    if (isFlow) await storeFlow(id, account, opened);
    const about: string | undefined = (body.context ?? body.reaction)?.message_id;
    const made = {
      id: conversation.id,
      channel: { ...channel, accountId: account.wabaId, pool: `channel:${id}` },
      contact: { id: conversation.contactId, phone },
    };
    const ours = about && (await storedMessage(made, about));
    const { status, body: sent } = await app.call('messages.send', {
      body: {
        channel_id: id,
        to: `+${phone}`,
        type,
        [type]: type === 'reaction' ? { ...wire, message_id: ours } : wire,
        ...(body.context && { context: { message_id: ours } }),
      },
    });
    expect([status, sent.error]).toEqual([201, undefined]);
    const [request] = await waitFor('the send', async () => (await arrived(account)).length > 0 && arrived(account));
    if (isFlow) Object.assign(opened, onFlowsWire(sent.data.id));
    expect(request).toEqual(asWeWriteIt({ ...body, to: phone }, { biz_opaque_callback_data: sent.data.id }));
    const statuses = await waitFor('an answer', async () => {
      const row = await app.message(sent.data.id);
      return ['read', 'failed'].includes(row.status) && row;
    });
    expect([statuses.status, statuses.failure]).toEqual(['read', null]);
  });
});

type Opened = { mode?: string; flow_id?: string; flow_name?: string; flow_action_payload?: { screen: string } };

/** The flow that a message opens, which its request names by our id. */
async function storeFlow(channelId: string, { wabaId }: Account, opened: Opened): Promise<void> {
  const status = opened.mode === 'draft' ? 'draft' : 'published';
  const screen = opened.flow_action_payload?.screen;
  const [first, ...others] = bookingDocument.screens;
  // The example before this one had it.
  for (const { id } of await storedFlows.all(app, { provider_flow_id: '21' }))
    await storedFlows.change(app, id, { provider_flow_id: null });
  const { id } = await flowAtProvider(app.em(), app.tenant.organizationId, channelId, {
    accountId: wabaId,
    providerFlowId: '21',
    status,
    document: { ...bookingDocument, screens: [{ ...first, ...(screen && { id: screen }) }, ...others] },
  });
  delete opened.flow_name;
  opened.flow_id = id;
}

/** What stands on the wire in place of our id and of the client's token. */
const onFlowsWire = (messageId: string) => ({
  flow_id: '21',
  flow_token: expect.stringMatching(`^${messageId}\\.`),
});

/** A message of the person that the provider knows by this id. */
const storedMessage = (conversation: Parameters<typeof message>[2], providerMessageId: string): Promise<string> =>
  message(app.em(), app.tenant.organizationId, conversation, { direction: 'inbound', providerMessageId });
