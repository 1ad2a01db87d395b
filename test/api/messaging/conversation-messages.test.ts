import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';

const app = useApp();

test('the messages of one conversation, newest first, by pages', async () => {
  const channel = await app.connect();
  const [own, others] = [await app.conversation(channel), await app.conversation(channel)];
  const sent: string[] = [];
  for (let n = 0; n < 3; n += 1) sent.push((await app.text(channel, own.phone)).body.data.id);
  await app.text(channel, others.phone);
  const params = { conversationID: own.id };
  const first = await app.call('conversations.messages.list', { params, query: { limit: 2, include_total: true } });
  expect(first.body.items.map(({ id }: { id: string }) => id)).toEqual([sent[2], sent[1]]);
  expect(first.body.meta).toMatchObject({ has_more: true, limit: 2, total: 3 });
  const query = { limit: 2, cursor: first.body.meta.next_cursor };
  const second = await app.call('conversations.messages.list', { params, query });
  expect(second.body.items.map(({ id }: { id: string }) => id)).toEqual([sent[0]]);
  const foreign = await app.call('conversations.messages.list', { params: { conversationID: others.id }, query });
  expect(foreign.status).toBe(400);
});

test.each(['no-uuid', '0193ffff-3a0e-7cc4-8f4e-0242ac120004'])('404 for %s', async (conversationID) => {
  expect((await app.call('conversations.messages.list', { params: { conversationID } })).status).toBe(404);
});
