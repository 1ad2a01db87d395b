import { expect, test } from '@jest/globals';
import { recordFailed } from '../../../src/messaging/settle.ts';
import { conversationLane } from '../../../src/platform/ledger/locks.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { bodyFor, statusOf } from '../../support/provider-body.ts';
import { waitFor } from '../../support/wait-for.ts';
import { messageRows } from '../../support/work/messages.ts';
import { ago } from '../../support/work/rows.ts';

const app = useApp({ workers: true, env: { PROVIDER_TIMEOUT_MS: '300', UNKNOWN_WINDOW: '1' } });

async function send(on: Channel) {
  const { id: conversationId, phone } = await app.conversation(on);
  const { body } = await app.text(on, phone);
  return { id: String(body.data.id), conversationId, phone };
}
const arrivals = async (id: string) => (await app.control('GET', `/messages?callback_data=${id}`)).messages.length;
const sentEvents = async (conversationId: string) =>
  (await app.events(conversationId)).filter(({ type }) => type === 'message.sent').length;

test('the answer is lost and a status proves it: sent once, arrived once', async () => {
  const channel = await app.connect();
  await app.fault(channel, { kind: 'drop_after' });
  const { id, conversationId, phone } = await send(channel);
  const next = await app.text(channel, phone);
  const row = await app.messageIn(id, 'read');
  expect(row.provider_message_id).toMatch(/^wamid\./);
  await app.messageIn(next.body.data.id, 'read');
  expect([await arrivals(id), await sentEvents(conversationId)]).toEqual([1, 2]);
  expect(await app.jobOf(id)).toBeUndefined();
});

test('an answer that comes after the time is up is proven by its status too', async () => {
  const channel = await app.connect();
  await app.fault(channel, { kind: 'delay', delay_ms: 600 });
  const { id, conversationId } = await send(channel);
  await app.messageIn(id, 'read');
  expect([await arrivals(id), await sentEvents(conversationId)]).toEqual([1, 1]);
});

// They wait for the same 5 s and more, so they do it at once.
test('nobody proves it: one resend after the window; twice unknown is failed; meanwhile it is sending and its lane waits', async () => {
  const [once, twice] = [await app.connect(), await app.connect()];
  await app.fault(once, { kind: 'drop_before' });
  await app.fault(twice, { kind: 'drop_before', times: 2 });
  const [first, second] = [await send(once), await send(twice)];
  const behind = await app.text(once, first.phone);
  await app.messageIn(first.id, 'sending');
  await app.messageIn(second.id, 'sending');
  // Well past the window, while the sender might still be at it, nothing is sent again.
  await waitFor(
    'the window to pass',
    async () => (await messageRows.count(app, { id: first.id, sending_at: { $lt: ago('2 s') } })) > 0,
  );
  expect(await app.sends(once)).toHaveLength(1);
  expect((await app.message(behind.body.data.id)).status).toBe('queued');
  expect((await app.jobOf(first.id)).attempts).toBe(0);
  expect((await app.call('messages.retry', { params: { messageID: first.id } })).body.data.status).toBe('sending');

  await app.messageIn(first.id, 'read');
  await app.messageIn(behind.body.data.id, 'read');
  expect([await arrivals(first.id), await sentEvents(first.conversationId)]).toEqual([1, 2]);
  expect(await app.sends(once)).toHaveLength(3);

  const lost = await app.messageIn(second.id, 'failed');
  expect(lost.failure).toMatchObject({ code: 'outcome_unknown', provider_code: null });
  expect(await app.sends(twice)).toHaveLength(2);
  expect(await arrivals(second.id)).toBe(0);
  expect(await app.jobOf(second.id)).toMatchObject({ state: 'failed', error: { code: 'outcome_unknown' } });
});

test('the resend is refused: the first send may have arrived, so a retry needs force, and a late status proves it', async () => {
  const channel = await app.connect();
  await app.fault(channel, { kind: 'drop_before' });
  await app.fault(channel, { kind: 'status', status: 400, code: 131026 });
  const { id } = await send(channel);
  const row = await app.messageIn(id, 'failed');
  expect([row.failure, row.resends]).toMatchObject([{ code: 'outcome_unknown', provider_code: '131026' }, 1]);
  expect((await app.call('messages.retry', { params: { messageID: id }, body: {} })).status).toBe(409);
  await app.webhook(bodyFor(channel, { statuses: [statusOf('wamid.late', 'delivered', { biz_opaque_callback_data: id })] }));
  await waitFor('the proof', async () => (await app.message(id)).status === 'delivered');
  expect((await app.message(id)).failure).toBeNull();
  expect(await arrivals(id)).toBe(0);
});

test.each(['crashed', 'internal'])(
  'a job that is given up as %s while its message is being sent: the outcome is unknown; a queued one was not sent',
  async (reason) => {
    const channel = await app.connect();
    await app.hold(channel);
    const crashed = { code: reason, provider_code: null, message: 'The job was given up' };
    for (const [status, code] of [
      ['sending', 'outcome_unknown'],
      ['queued', reason],
    ]) {
      const { id, conversationId } = await send(channel);
      await messageRows.change(app, id, { status: status as 'failed' });
      await app.web.deps.ledger.transact({ locks: [conversationLane(conversationId)] }, async (tx) => {
        await recordFailed(tx.of(app.tenant.organizationId), id, crashed);
      });
      expect((await app.message(id)).failure.code).toBe(code);
    }
  },
);
