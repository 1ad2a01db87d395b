import { expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { queuedMessage } from '../../support/factories/message.ts';
import { waitFor } from '../../support/wait-for.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { messageRows } from '../../support/work/messages.ts';

const app = useApp({ workers: true });
const rate = 80;

async function bulk(channel: Channel, count: number) {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id, contactId, phone } = await app.conversation(channel);
    const made = {
      id,
      contact: { id: contactId, phone },
      channel: { ...channel, accountId: channel.wabaId, pool: `channel:${channel.id}` },
    };
    const { transact } = app.web.deps.ledger;
    ids.push((await queuedMessage(transact, channel.tenant.organizationId, made as never, undefined, 'bulk')).messageId);
  }
  return ids;
}

/** Seconds of the epoch. */
const claims = async (ids: string[]) =>
  (await messageRows.all(app, { id: { $in: ids } }, ['sending_at'], { sending_at: 'asc' })).map(
    ({ sending_at }) => Date.parse(sending_at!) / 1_000,
  );
const sent = async (ids: string[]) => (await messageRows.count(app, { id: { $in: ids }, provider_message_id: null })) === 0;

test('a bulk message runs in the queue of its own, to its end', async () => {
  const channel = await app.connect();
  await app.hold(channel);
  const [id] = await bulk(channel, 1);
  expect(await jobRows.all(app, { subject_id: id }, ['queue', 'class', 'state'])).toEqual([
    { queue: 'bulk-messages', class: 1, state: 'waiting' },
  ]);
  await app.letGo(channel);
  await app.messageIn(id!, 'read');
  expect(await app.jobOf(id!)).toBeUndefined();
});

test('an answer does not wait for the bulk work of its channel, of which it sends at most its rate in a second', async () => {
  const channel = await app.connect({ body: { rate } });
  const pool = `channel:${channel.id}`;
  await app.hold(channel);
  const ids = await bulk(channel, 120);
  const { phone } = await app.conversation(channel);
  await app.letGo(channel);
  await app.web.deps.ledger.fill({ organization_id: channel.tenant.organizationId, id: pool });
  const { body } = await app.text(channel, phone);
  const answer = String(body.data.id);
  await waitFor('all to be sent', () => sent([...ids, answer]), 30_000);
  const at = await claims([...ids, answer]);
  expect(Math.max(...at.map((start) => at.filter((one) => one >= start && one < start + 1).length))).toBeLessThanOrEqual(rate);
  const [answeredAt] = await claims([answer]);
  // A quarter of a second of the rate is planned before it, and those at work when it came.
  expect(at.indexOf(answeredAt!)).toBeLessThan(60);
});
