import { beforeAll, describe, expect, test } from '@jest/globals';
import { Contact } from '../../../../src/contacts/contact.entity.ts';
import { ContactSuppression } from '../../../../src/contacts/permission/permission.entity.ts';
import { Flow } from '../../../../src/flows/flow.entity.ts';
import { Conversation } from '../../../../src/messaging/conversation.entity.ts';
import { Message } from '../../../../src/messaging/message.entity.ts';
import { sendTypes } from '../../../../src/messaging/send-body.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { Template, type TemplateCategory } from '../../../../src/templates/template.entity.ts';
import { type Body, type Channel, useApp } from '../../../support/app.ts';
import { contact } from '../../../support/factories/contact.ts';
import { flowAtProvider } from '../../../support/factories/flow-at-provider.ts';
import { jobsOf as storedJobsOf } from '../../../support/rules/ledger-jobs.ts';
import { storeRow } from '../../../support/rules/rows.ts';
import { alike, type GivenRun, stepsOf } from '../../../support/steps.ts';

const app = useApp();
const steps = stepsOf(app);
let channel: Channel;
beforeAll(async () => {
  channel = await app.connect();
  await app.storeTemplates(channel);
});

type Talk = { id: string; contactId: string; phone: string };
const talk = (lastInbound?: string): Promise<Talk> => app.conversation(channel, app.phone(), lastInbound);
const about = ({ id, contactId }: Talk): GivenRun => ({
  subject_type: 'conversation',
  subject_id: id,
  contact_id: contactId,
  conversation_id: id,
});
const hello = { type: 'text', text: { body: 'Hello' } };
const template = { type: 'template', template: { name: 'hello', language: 'en_US' } };
const named = async (name: string, category: TemplateCategory, components: unknown[] = []) => {
  await storeRow(app.em(), app.tenant.organizationId, Template, {
    channel_id: channel.id,
    provider_template_id: name,
    name,
    language: 'en_US',
    category,
    status: 'approved',
    components,
  });
  return { type: 'template', template: { name, language: 'en_US' } };
};
const send = (it: Talk, message: object = hello, more: object = {}) =>
  steps.take('send_message', { message, ...more }, about(it));
const messagesOf = ({ id }: Pick<Talk, 'id'>): Promise<Body[]> =>
  app.em().find(Message, { conversation_id: id }, { orderBy: { id: 'asc' } });
const jobsOf = async (id: string) =>
  (await storedJobsOf(app.em(), id)).map(({ name, state, lane, pool, class: kind }) => ({
    name,
    state,
    lane,
    pool,
    class: kind,
  }));
const eventsOf = async ({ id }: Talk) => (await app.events(id)).map(({ type, data }) => ({ type, data }));

/** A message of the conversation, for what is about one. */
const received = async ({ id, contactId }: Talk) => {
  const messageId = uuidv7();
  return storeRow(app.em(), app.tenant.organizationId, Message, {
    id: messageId,
    channel_id: channel.id,
    conversation_id: id,
    contact_id: contactId,
    direction: 'inbound',
    type: 'text',
    status: 'delivered',
    to_phone: '',
    content: { body: 'hi' },
    told: null,
    provider_message_id: `wamid.${messageId}`,
  });
};

const link = 'https://files.example.com/a.jpg';
const bodies: Record<string, (it: Talk) => object | Promise<object>> = {
  text: () => ({ text: { body: 'Hello', preview_url: true } }),
  template: () => ({ template: template.template }),
  image: () => ({ image: { link, caption: 'A picture' } }),
  video: () => ({ video: { link } }),
  audio: () => ({ audio: { link } }),
  document: () => ({ document: { link, filename: 'offer.pdf' } }),
  sticker: () => ({ sticker: { link } }),
  location: () => ({ location: { latitude: 52.5, longitude: 13.4, name: 'Shop' } }),
  contacts: () => ({ contacts: [{ name: { formatted_name: 'Ada', first_name: 'Ada' }, phones: [{ phone: '+16505551234' }] }] }),
  reaction: async (it) => ({ reaction: { message_id: await received(it), emoji: '👍' } }),
  interactive: () => ({
    interactive: {
      type: 'button',
      body: { text: 'Which one?' },
      action: { buttons: [{ type: 'reply', reply: { id: 'a', title: 'A' } }] },
    },
  }),
};

describe('each type is sent as the API sends it', () => {
  test.each(sendTypes)('%s', async (type) => {
    const [one, other] = [await talk(), await talk()];
    const bodyOf = async (it: Talk) => ({ type, ...(await bodies[type]!(it)) });
    const { status, body: reply } = await app.call('messages.send', {
      body: { channel_id: channel.id, to: `+${one.phone}`, ...(await bodyOf(one)) },
    });
    const { output, run } = await send(other, await bodyOf(other));
    expect({ status, reply }).toMatchObject({ status: 201 });
    const sentBy = async (it: Talk) => (await messagesOf(it)).filter(({ direction }) => direction === 'outbound');
    const [apis, runs] = [await sentBy(one), await sentBy(other)];
    expect(runs).toHaveLength(1);
    expect(output).toEqual({
      message_id: runs[0].id,
      conversation_id: other.id,
      contact_id: other.contactId,
      channel_id: channel.id,
    });
    const shape = ([row]: typeof runs, it: Talk) => {
      const about = [row.id, it.id, it.contactId, it.phone, ...(row.context_message_id ? [row.context_message_id] : [])];
      return alike({ ...row, origin: null }, about);
    };
    expect(shape(runs, other)).toEqual(shape(apis, one));
    expect(runs[0].origin).toEqual({ by: `run:${run.id}`, chain: [run.rule_id] });
    expect(alike(await jobsOf(runs[0].id), [other.id])).toEqual(alike(await jobsOf(apis[0].id), [one.id]));
    expect(alike(await eventsOf(other), [other.id])).toEqual(alike(await eventsOf(one), [one.id]));
    expect(await steps.eventsOf(run)).toMatchObject([{ type: 'conversation.updated', chain: [run.rule_id] }]);
  });

  test('a later time', async () => {
    const [one, other] = [await talk(), await talk()];
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    await app.text(channel, one.phone, { send_at });
    const { output } = await send(other, { ...hello, send_at });
    const [[apis], [runs]] = [await messagesOf(one), await messagesOf(other)];
    expect(runs).toMatchObject({ id: output.message_id, status: 'queued', is_scheduled: true, send_at: apis.send_at });
    expect(await jobsOf(runs.id)).toEqual(await jobsOf(apis.id));
    expect(await eventsOf(other)).toEqual([]);
  });
});

describe('whom it goes to', () => {
  const person = () => contact(app.em(), app.tenant.organizationId);

  test('a contact without a conversation gets one, once', async () => {
    const who = await person();
    const run = { subject_type: 'contact' as const, subject_id: who.id, contact_id: who.id };
    const fields = { channel_id: channel.id, message: template };
    const { outputs } = await steps.takeAll(
      [
        ['send_message', fields],
        ['send_message', fields],
      ],
      run,
    );
    const conversations = await app.em().find(Conversation, { contact_id: who.id });
    expect(conversations).toHaveLength(1);
    const { id } = conversations[0]!;
    expect(outputs.map(({ conversation_id }) => conversation_id)).toEqual([id, id]);
    expect(await messagesOf({ id })).toHaveLength(2);
    expect((await app.events(id)).map(({ type }) => type)).toEqual([
      'conversation.created',
      'conversation.updated',
      'conversation.updated',
    ]);
  });

  test('a phone that nobody has becomes a contact', async () => {
    const phone = app.phone();
    const { output } = await steps.take('send_message', { channel_id: channel.id, to: `+${phone}`, message: template });
    const made = await app.em().findOneOrFail(Contact, { id: String(output.contact_id) });
    expect(made.phone_number).toBe(`+${phone}`);
  });

  test("another contact, on the conversation's channel", async () => {
    const [it, who] = [await talk(), await person()];
    const { output } = await send(it, template, { contact_id: who.id });
    expect(output).toMatchObject({ contact_id: who.id, channel_id: channel.id });
  });

  test('two at the same moment to one who has no conversation: one conversation', async () => {
    const who = await person();
    const one = () => steps.take('send_message', { channel_id: channel.id, contact_id: who.id, message: template });
    const all = await Promise.all([one(), one(), one()]);
    expect(new Set(all.map(({ output }) => output.conversation_id)).size).toBe(1);
    expect(await messagesOf({ id: all[0]!.output.conversation_id })).toHaveLength(3);
  });

  test('a contact that is merged at the very moment: the survivor', async () => {
    const [older, newer] = [await person(), await person()];
    const merge = () => app.call('contacts.merge', { params: { contactID: older.id }, body: { contact_id: newer.id } });
    const fields = { channel_id: channel.id, contact_id: newer.id, message: template };
    const { output } = await steps.take('send_message', fields, {}, merge);
    expect(output.contact_id).toBe(older.id);
  });
});

describe('what forbids it', () => {
  test('the window', async () => {
    const it = await talk(`clock_timestamp() - interval '25 hours'`);
    await expect(send(it)).rejects.toMatchObject({ code: 'window_closed' });
    expect(await messagesOf(it)).toEqual([]);
    await send(it, template);
  });

  test('a suppression, also of the step before it', async () => {
    const it = await talk();
    const both = steps.takeAll(
      [
        ['suppress', { channel: 'messaging_app', reason: 'unsubscribed' }],
        ['send_message', { message: hello }],
      ],
      about(it),
    );
    await expect(both).rejects.toMatchObject({ code: 'suppressed' });
    expect(await messagesOf(it)).toEqual([]);
    expect(await app.em().count(ContactSuppression, { contact_id: it.contactId })).toBe(0);
  });

  test('no consent for marketing, unless the step before it records one', async () => {
    const it = await talk();
    const message = await named('news', 'marketing');
    await expect(send(it, message)).rejects.toMatchObject({ code: 'consent_required' });
    const { outputs } = await steps.takeAll(
      [
        ['set_consent', { channel: 'messaging_app', status: 'granted', source: 'test' }],
        ['send_message', { message }],
      ],
      about(it),
    );
    expect(await messagesOf(it)).toMatchObject([{ id: outputs[1].message_id, status: 'queued' }]);
  });

  test('a template that is not approved, or not there; a channel that is not there', async () => {
    const it = await talk();
    const of = (name: string) => ({ type: 'template', template: { name, language: 'en_US' } });
    await expect(send(it, of('old'))).rejects.toMatchObject({ code: 'template_unknown' });
    await expect(send(it, of('never'))).rejects.toMatchObject({ code: 'template_unknown' });
    await expect(send(it, hello, { channel_id: uuidv7() })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('no channel, nobody, and an erased contact', async () => {
    const it = await talk();
    const nowhere = steps.take('send_message', { message: hello }, { contact_id: it.contactId });
    await expect(nowhere).rejects.toMatchObject({ details: [{ field: 'channel_id' }] });
    const nobody = steps.take('send_message', { message: hello, channel_id: channel.id });
    await expect(nobody).rejects.toMatchObject({ details: [{ field: 'contact_id' }] });
    await app.call('contacts.delete', { params: { contactID: it.contactId } });
    await expect(send(it)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('a contact that is erased at the very moment', async () => {
    const it = await talk();
    const erase = () => app.call('contacts.delete', { params: { contactID: it.contactId } });
    const sending = steps.take('send_message', { message: hello }, about(it), erase);
    await expect(sending).rejects.toMatchObject({ status: expect.any(Number) });
    expect(await messagesOf(it)).toEqual([]);
  });
});

describe('among other steps of one transaction', () => {
  const statusOf = async ({ id }: Talk) => (await app.em().findOneOrFail(Conversation, { id })).status;

  test('resolved before or after it: in their order', async () => {
    const [one, other] = [await talk(), await talk()];
    const resolve: [string, object] = ['set_conversation_status', { status: 'resolved' }];
    const sending: [string, object] = ['send_message', { message: hello }];
    await steps.takeAll([resolve, sending] as never, about(one));
    await steps.takeAll([sending, resolve] as never, about(other));
    expect(await statusOf(one)).toBe('open');
    expect(await statusOf(other)).toBe('resolved');
    expect((await messagesOf(one)).length + (await messagesOf(other)).length).toBe(2);
  });

  test('a conversation that is resolved at the very moment is opened again', async () => {
    const it = await talk();
    const resolve = () => app.call('conversations.update', { params: { conversationID: it.id }, body: { status: 'resolved' } });
    await steps.take('send_message', { message: hello }, about(it), resolve);
    expect(await statusOf(it)).toBe('open');
  });
});

test.each([
  [{}, 'message'],
  [{ message: { type: 'fax' } }, 'message.type'],
  [{ message: { type: 'text' } }, 'message.text'],
  [{ message: { type: 'text', text: { body: '' } } }, 'message.text.body'],
  [{ message: hello, to: 'x' }, 'to'],
  [{ message: { type: 'reaction', reaction: { message_id: uuidv7(), emoji: 'no' } } }, 'message.reaction.emoji'],
])('%j is refused', async (fields, field) => {
  const it = await talk();
  const refused = steps.take('send_message', fields, about(it));
  await expect(refused).rejects.toMatchObject({
    code: 'invalid_request',
    details: expect.arrayContaining([expect.objectContaining({ field })]),
  });
});

describe('publishing', () => {
  const check = (fields: object) => steps.check('send_message', { ...fields });
  test('finds a channel that is not there', async () => {
    expect(await check({ message: hello, channel_id: uuidv7() })).toMatchObject([
      { field: 'channel_id', code: 'channel.unknown' },
    ]);
    expect(await check({ message: hello, channel_id: channel.id })).toEqual([]);
    expect(await check({ message: hello, channel_id: '{{ vars.channel }}' })).toEqual([]);
  });

  test('finds a template that is not there, not approved, or that lacks a parameter', async () => {
    const of = (name: string, components?: object[]) => ({
      message: { type: 'template', template: { name, language: 'en_US', ...(components && { components }) } },
      channel_id: channel.id,
    });
    expect(await check(of('hello'))).toEqual([]);
    expect(await check(of('{{ vars.name }}'))).toEqual([]);
    expect(await check(of('old'))).toMatchObject([{ field: 'message.template', code: 'template_unknown' }]);
    expect(await check({ ...of('never'), channel_id: undefined })).toMatchObject([{ code: 'template_unknown' }]);
    await named('greeting', 'utility', [{ type: 'BODY', text: 'Hello {{1}}' }]);
    const saying = (text: string) => of('greeting', [{ type: 'body', parameters: [{ type: 'text', text }] }]);
    expect(await check(of('greeting'))).toMatchObject([{ location: 'body' }]);
    expect(await check(saying('Ada'))).toEqual([]);
    expect(await check(saying('{{ contact.name }}'))).toEqual([]);
  });

  test('finds a flow that is not there, or not published', async () => {
    const given = { accountId: channel.wabaId, status: 'draft' as const };
    const { id } = await flowAtProvider(app.em(), app.tenant.organizationId, channel.id, given);
    const opening = (flow_id: string, more: object = {}) => ({
      message: {
        type: 'interactive',
        interactive: {
          type: 'flow',
          body: { text: 'Tell us' },
          action: { name: 'flow', parameters: { flow_id, flow_cta: 'Open', ...more } },
        },
      },
    });
    expect(await check(opening(uuidv7()))).toMatchObject([{ code: 'flow_unavailable' }]);
    expect(await check(opening(id))).toMatchObject([{ field: 'message.interactive.action.parameters.flow_id' }]);
    expect(await check(opening(id, { mode: 'draft' }))).toEqual([]);
    await app.em().nativeUpdate(Flow, { id }, { status: 'published' });
    expect(await check(opening(id))).toEqual([]);
  });

  test('finds a media asset that is not there', async () => {
    const fields = { message: { type: 'image', image: { asset_id: 'bm90aGluZw' } } };
    expect(await check(fields)).toMatchObject([{ location: 'body' }]);
  });
});
