import { beforeAll, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { message } from '../../support/factories/message.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { storedChannels } from '../../support/stored/channels.ts';

const app = useApp();
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

const read = (messageID: string, body: object = {}) => app.call('messages.read', { params: { messageID }, body });

async function stored(direction: 'inbound' | 'outbound', providerMessageId?: string, on: Channel = channel) {
  const { id, contactId, phone } = await app.conversation(on);
  const made = {
    id,
    channel: { ...on, accountId: on.wabaId, pool: `channel:${on.id}` },
    contact: { id: contactId, phone },
  };
  return message(app.em(), app.tenant.organizationId, made, { direction, providerMessageId });
}

test('is one operation however often it is asked for, and the typing sign another', async () => {
  const id = await stored('inbound', 'wamid.read-1');
  const replies = await Promise.all([read(id), read(id), read(id, { typing_indicator: true })]);
  expect(replies.map(({ status, body }) => [status, body.data.id])).toEqual(Array(3).fill([200, id]));
  const [first, second, typing] = replies.map(({ headers }) => headers.get('operation-id'));
  expect(first).toBe(second);
  expect(typing).not.toBe(first);
  const jobs = await storedJobs.all(app, { subject_id: id }, { columns: ['name', 'lane'], orderBy: 'name' });
  expect(jobs).toEqual([
    { name: 'messages.mark-read', lane: `message-read:${id}` },
    { name: 'messages.show-typing', lane: `message-read:${id}` },
  ]);
});

test('only of a received message that the provider knows, on a connected channel', async () => {
  const sent = await read(await stored('outbound', 'wamid.read-2'));
  expect([sent.status, sent.body.error.message]).toEqual([409, 'Only a received message can be marked as read']);
  const erased = await read(await stored('inbound'));
  expect([erased.status, erased.body.error.code]).toEqual([409, 'conflict']);
  const stopped = await app.connect();
  const id = await stored('inbound', 'wamid.read-3', stopped);
  await storedChannels.change(app, stopped.id, { status: 'auth_error' });
  const held = await read(id);
  expect([held.status, held.body.error.message]).toEqual([409, 'The channel cannot reach the provider: it is auth_error']);
  expect((await read('01932d5f-3a0e-7cc4-8f4e-0242ac120005')).status).toBe(404);
});

test.each([[{ typing_indicator: 'yes' }], [{ typing: true }]])('%j: 422', async (body) => {
  expect((await read(await stored('inbound', `wamid.${Math.random()}`), body)).status).toBe(422);
});
