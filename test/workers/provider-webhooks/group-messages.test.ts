import { beforeAll, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { bodyFor, inboundFrom, newId } from '../../support/provider-body.ts';

const app = useApp({ workers: true });
const groupId = 'Y2FwaV9ncm91cDox';
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

async function written(phone: string, more: Record<string, unknown> = {}) {
  const id = newId();
  expect((await app.webhook(bodyFor(channel, inboundFrom(phone, { id, ...more })))).status).toBe(200);
  await app.idle();
  return id;
}
const inGroup = (phone: string, body: string, more: Record<string, unknown> = {}) =>
  written(phone, { group_id: groupId, text: { body }, ...more });
const messageOf = (id: string) => app.one('select * from messages where provider_message_id = $1', [id]);

test('messages of a group are in one conversation of their own, each with its writer', async () => {
  const [first, second] = [app.phone(), app.phone()];
  const one = await messageOf(await inGroup(first, 'Hello all'));
  const other = await messageOf(await inGroup(second, 'Hi'));
  expect(other.conversation_id).toBe(one.conversation_id);
  expect(other.contact_id).not.toBe(one.contact_id);
  const { body } = await app.call('conversations.get', { params: { conversationID: one.conversation_id } });
  expect(body.group_id).toBe(groupId);
  expect(body.contact_id).toBeNull();
  expect(body.preview).toBe('Hi');
  expect(body.unread_count).toBe(2);
  expect(body.is_window_open).toBe(false);
  const events = await app.events(one.conversation_id);
  const told = events.filter(({ type }) => type === 'group_message.new');
  expect(told.map(({ data }) => data.contact_id)).toEqual([one.contact_id, other.contact_id]);
  expect(events.some(({ type }) => type === 'message.new')).toBe(false);
});

test('the conversation of a group cannot be answered', async () => {
  const { conversation_id } = await messageOf(await inGroup(app.phone(), 'Anybody?'));
  const reply = await app.call('conversations.messages.send', {
    params: { conversationID: conversation_id },
    body: { type: 'text', text: { body: 'Yes' } },
  });
  expect(reply.status).toBe(409);
  expect(reply.body.error.message).toContain('group');
});

test('a message of a group opens no window and is no STOP', async () => {
  const phone = app.phone();
  const { contact_id } = await messageOf(await inGroup(phone, 'STOP'));
  const { body } = await app.call('contacts.suppressions.list', { params: { contactID: contact_id } });
  expect(body.data).toEqual([]);
  const sent = await app.call('messages.send', {
    body: { channel_id: channel.id, to: `+${phone}`, type: 'text', text: { body: 'Hi' } },
  });
  expect(sent.body.error.code).toBe('window_closed');
});

test('a repeat changes nothing, and a deletion hides the words', async () => {
  const phone = app.phone();
  const id = await inGroup(phone, 'Once');
  const { conversation_id } = await messageOf(id);
  await written(phone, { id, group_id: groupId, text: { body: 'Once' } });
  const [{ n }] = await app.rows('select count(*)::int as n from messages where provider_message_id = $1', [id]);
  expect(n).toBe(1);
  await inGroup(phone, '', { type: 'revoke', revoke: { original_message_id: id } });
  const deleted = await messageOf(id);
  expect(deleted.content.body).toBeUndefined();
  expect(deleted.content.deleted).toBeDefined();
  expect(deleted.conversation_id).toBe(conversation_id);
});

test('an erased person leaves no words of theirs as the preview of the group', async () => {
  const { contact_id, conversation_id } = await messageOf(await inGroup(app.phone(), 'My secret'));
  expect((await app.call('contacts.delete', { params: { contactID: contact_id } })).status).toBeLessThan(300);
  const { body } = await app.call('conversations.get', { params: { conversationID: conversation_id } });
  expect(body.preview).toBe('');
});

test('who wrote the answered message, and the identity of the person, stay with a message', async () => {
  const identity = { acknowledged: true, created_timestamp: 1_602_532_300_000, hash: 'CjwKEAiA' };
  const id = await written(app.phone(), { context: { id: 'wamid.x', from: '15550100001' }, identity });
  const { content } = await messageOf(id);
  expect(content.context_from).toBe('15550100001');
  expect(content.identity).toEqual(identity);
});
