import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';

const app = useApp({ workers: true });
const prefer = { prefer: 'wait=10' };

test('who is blocked on a channel, the last one first, page by page', async () => {
  const [channel, other] = [await app.connect(), await app.connect()];
  const list = async (query = {}) =>
    (await app.call('channels.blocked-contacts.list', { params: { channelID: channel.id }, query })).body;
  const change = (what: string, who: object, on = channel) =>
    app.call(`contacts.${what}`, { body: { channel_id: on.id, ...who }, headers: prefer });
  expect(await list({ include_total: true })).toEqual({ items: [], meta: { has_more: false, limit: 25, total: 0 } });
  const people = [{ phone: `+${app.phone()}` }, { phone: `+${app.phone()}`, user_id: 'US.2' }, { user_id: 'US.3' }];
  for (const who of people) await change('block', who);
  await change('block', { user_id: 'US.4' }, other);
  const { items } = await list();
  const shown = { contact_id: expect.any(String), phone: '', user_id: '', blocked_at: expect.any(String) };
  expect(items).toEqual(people.toReversed().map((who) => ({ ...shown, ...who })));
  const first = await list({ limit: 2 });
  expect([first.items, first.meta.has_more]).toEqual([items.slice(0, 2), true]);
  expect((await list({ limit: 2, cursor: first.meta.next_cursor })).items).toEqual(items.slice(2));
  // Blocked anew, the first one is the last.
  await change('unblock', people[0]!);
  expect((await list()).items).toEqual(items.slice(0, 2));
  await change('block', people[0]!);
  expect((await list({ limit: 1 })).items[0].phone).toBe(people[0]!.phone);
});

test("a channel that is not there: 404; another list's cursor: 400", async () => {
  const channel = await app.connect();
  const ask = (channelID: string, query = {}) => app.call('channels.blocked-contacts.list', { params: { channelID }, query });
  for (const id of ['x', '01932d5f-3a0e-7cc4-8f4e-0242ac120099']) expect((await ask(id)).status).toBe(404);
  expect((await ask(channel.id, { cursor: 'abc' })).status).toBe(400);
  expect((await ask(channel.id, { offset: 1 })).status).toBe(422);
});
