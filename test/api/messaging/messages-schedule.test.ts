import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { retryJob } from '../../../src/platform/ledger/retry.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { storedConversations, storedMessages } from '../../support/stored/messaging.ts';
import { ago, now } from '../../support/stored/times.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true, env: { SWEEP_INTERVAL_MS: '200' } });
let channel: Channel;
let conversation: { id: string; contactId: string; phone: string };
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

beforeAll(async () => {
  channel = await app.connect();
});
beforeEach(async () => {
  conversation = await app.conversation(channel);
});

const schedule = (sendAt: string, more: object = {}) => app.text(channel, conversation.phone, { send_at: sendAt, ...more });
const scheduled = async (sendAt = inHours(2)): Promise<Body> => {
  const { status, body } = await schedule(sendAt);
  expect([status, body.error]).toEqual([201, undefined]);
  return body.data;
};
const cancel = (id: string) => app.call('messages.cancel', { params: { messageID: id } });
const get = async (id: string): Promise<Body> => (await app.call('messages.get', { params: { messageID: id } })).body.data;
/** As if so much time had passed for the message. */
const pass = async (id: string, hours: number) => {
  const earlier = (at: string) => new Date(Date.parse(at) - hours * 3_600_000).toISOString();
  await storedMessages.change(app, id, { send_at: earlier((await app.message(id)).send_at) });
  const { run_at, check_at } = await app.jobOf(id);
  await storedJobs.change(app, { subject_id: id }, { run_at: earlier(run_at), check_at: earlier(check_at) });
};
const preview = async () => (await storedConversations.one(app, conversation.id, ['preview', 'last_message_at'])) as Body;
const sentTexts = async () =>
  (await app.sends(channel)).filter(({ body }) => body.to === conversation.phone).map(({ body }) => body.text.body);
/** The window is open again. */
const failsAtItsTime = async (): Promise<Body> => {
  const message = await scheduled();
  const heard = (at: string) => storedConversations.change(app, conversation.id, { last_inbound_at: at });
  await heard(ago(2, 'day'));
  await pass(message.id, 2);
  await app.messageIn(message.id, 'failed');
  await heard(now());
  return message;
};
const jobsAreClean = async () => expect(await checkJobs(app.web.deps.database)).toEqual([]);

describe('a scheduled message', () => {
  test('is queued with its time, and nothing of its conversation changes before', async () => {
    const sendAt = inHours(2);
    const message = await scheduled(sendAt);
    expect(message).toMatchObject({ status: 'queued', send_at: sendAt });
    expect(await get(message.id)).toMatchObject({ send_at: sendAt });
    expect(await preview()).toEqual({ preview: '', last_message_at: null });
    expect(await app.jobOf(message.id)).toMatchObject({ name: 'messages.send-later', state: 'queued', lane: null });
    expect(await sentTexts()).toEqual([]);
    await jobsAreClean();
  });

  test('does not hold up what is sent meanwhile, and goes out at its time', async () => {
    const first = await scheduled();
    const second = (await app.text(channel, conversation.phone, { text: { body: 'Now' } })).body.data;
    await app.messageIn(second.id, 'read');
    expect(await sentTexts()).toEqual(['Now']);
    await pass(first.id, 2);
    await app.messageIn(first.id, 'read');
    expect(await sentTexts()).toEqual(['Now', 'Hello']);
    expect((await preview()).preview).toBe('Hello');
    expect((await get(first.id)).send_at).toBeDefined();
    await jobsAreClean();
  });

  test('opens a resolved conversation at its time and not before', async () => {
    const message = await scheduled();
    await storedConversations.change(app, conversation.id, { status: 'resolved' });
    const status = async () => (await storedConversations.one(app, conversation.id)).status;
    expect(await status()).toBe('resolved');
    await pass(message.id, 2);
    await app.messageIn(message.id, 'read');
    expect(await status()).toBe('open');
  });

  test('is in the list of those whose time has not come, and in that of its conversation', async () => {
    const message = await scheduled();
    const list = async (query: Record<string, string | boolean>) =>
      (await app.call('messages.list', { query })).body.items.map(({ id }: Body) => id);
    expect(await list({ scheduled: true, conversation_id: conversation.id })).toEqual([message.id]);
    expect(await list({ scheduled: true })).toContain(message.id);
    await cancel(message.id);
    expect(await list({ scheduled: true, conversation_id: conversation.id })).toEqual([]);
    expect(await list({ conversation_id: conversation.id })).toEqual([message.id]);
  });

  test('shows in its timeline when it is due', async () => {
    const sendAt = inHours(3);
    const { id } = await scheduled(sendAt);
    const { entries } = (await app.call('messages.timeline', { params: { messageID: id } })).body.data;
    const queued = entries.find(({ kind }: Body) => kind === 'queued');
    expect(Math.abs(Date.parse(queued.queue.next_run_at) - Date.parse(sendAt))).toBeLessThan(60_000);
  });

  test('in a conversation, by its own endpoint', async () => {
    const { status, body } = await app.call('conversations.messages.send', {
      params: { conversationID: conversation.id },
      body: { type: 'text', text: { body: 'Later' }, send_at: inHours(1) },
    });
    expect([status, body.data.status]).toEqual([201, 'queued']);
    expect((await app.jobOf(body.data.id)).name).toBe('messages.send-later');
  });
});

describe('called off', () => {
  test('it is failed with a code, once, with its events; it never goes out', async () => {
    const { id } = await scheduled();
    const answers = [await cancel(id), await cancel(id)];
    for (const { status, body } of answers)
      expect([status, body.data]).toMatchObject([200, { status: 'failed', failure: { code: 'cancelled' } }]);
    expect(await app.jobOf(id)).toBeUndefined();
    const told = (await app.events(conversation.id)).filter(
      ({ type, data }) => type === 'message.failed' && data.message_id === id,
    );
    expect(told).toMatchObject([{ data: { code: 'cancelled' } }]);
    expect(await sentTexts()).toEqual([]);
    await jobsAreClean();
  });

  test('a message that is on its way, or was never scheduled, is a 409; one nobody has a 404', async () => {
    const { id } = (await app.text(channel, conversation.phone)).body.data;
    await app.messageIn(id, 'read');
    expect(await cancel(id)).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect((await cancel('0193ffff-3a0e-7cc4-8f4e-0242ac120004')).status).toBe(404);
  });

  test('it cannot be retried, by force neither', async () => {
    const { id } = await scheduled();
    await cancel(id);
    for (const force of [false, true])
      expect(await app.call('messages.retry', { params: { messageID: id }, body: { force } })).toMatchObject({
        status: 409,
        body: { error: { code: 'conflict', message: 'The message was called off: send a new one' } },
      });
    expect(await app.message(id)).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
    expect(await app.jobOf(id)).toBeUndefined();
  });

  test('asked for while its time comes, either it is called off or it is sent', async () => {
    const { id } = await scheduled();
    const [{ status }] = await Promise.all([cancel(id), pass(id, 2)]);
    const row = await app.messageIn(id, status === 200 ? 'failed' : 'read');
    expect(await sentTexts()).toHaveLength(row.status === 'read' ? 1 : 0);
    await jobsAreClean();
  });
});

describe('refused', () => {
  test.each([
    ['in the past', () => inHours(-1), 'date.future'],
    ['more than 30 days ahead', () => inHours(30 * 24 + 1), 'date.max'],
  ])('a time %s', async (_what, sendAt, code) => {
    const { status, body } = await schedule(sendAt());
    expect([status, body.error.details]).toMatchObject([422, [{ field: 'send_at', code }]]);
  });

  test('a time without its zone, or that is none', async () => {
    for (const sendAt of ['2030-01-01T10:00:00', 'tomorrow', 7]) expect((await schedule(sendAt as string)).status).toBe(422);
  });

  test('a free-form message whose window will be over by then; a template is not', async () => {
    const { status, body } = await schedule(inHours(25));
    expect([status, body.error.code]).toEqual([422, 'window_closed']);
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }];
    const template = { type: 'template', template: { name: 'hello', language: 'en_US', components }, text: undefined };
    expect((await schedule(inHours(25), template)).status).toBe(201);
  });
});

describe('what has changed by its time', () => {
  test('a window that is over: failed and told why, nothing goes out', async () => {
    const { id } = await scheduled();
    await storedConversations.change(app, conversation.id, { last_inbound_at: ago(2, 'day') });
    await pass(id, 2);
    expect((await app.messageIn(id, 'failed')).failure).toMatchObject({ code: 'window_closed' });
    expect(await sentTexts()).toEqual([]);
    await jobsAreClean();
    // The person writes again: somebody sends it after all.
    await storedConversations.change(app, conversation.id, { last_inbound_at: now() });
    expect((await app.call('messages.retry', { params: { messageID: id }, body: {} })).status).toBe(200);
    await app.messageIn(id, 'read');
    await jobsAreClean();
  });

  test('a retry after it failed opens its resolved conversation again, with its preview, and tells of it', async () => {
    const { id } = await failsAtItsTime();
    await storedConversations.change(app, conversation.id, { status: 'resolved' });
    expect((await app.call('messages.retry', { params: { messageID: id }, body: {} })).status).toBe(200);
    const { status } = await storedConversations.one(app, conversation.id);
    expect(status).toBe('open');
    expect(await preview()).toEqual({ preview: 'Hello', last_message_at: expect.any(String) });
    const told = (await app.events(conversation.id)).filter(({ type }) => type === 'conversation.updated').at(-1)!;
    expect(told.data).toMatchObject({ status: 'open', changed: ['status', 'preview'] });
    await app.messageIn(id, 'read');
    await jobsAreClean();
  });

  test('its job retried after the message was sent on its own is a 409, and nothing goes out twice', async () => {
    const { id } = await failsAtItsTime();
    const job = await app.jobOf(id);
    expect((await app.call('messages.retry', { params: { messageID: id }, body: {} })).status).toBe(200);
    await expect(retryJob(app.web.deps.ledger.transact, job.id)).rejects.toMatchObject({ code: 'not_found' });
    await app.messageIn(id, 'read');
    expect(await sentTexts()).toEqual(['Hello']);
  });

  test('its job and the message retried at once: one of the two sends it', async () => {
    const { id } = await failsAtItsTime();
    const job = await app.jobOf(id);
    const [byJob, byMessage] = await Promise.allSettled([
      retryJob(app.web.deps.ledger.transact, job.id),
      app.call('messages.retry', { params: { messageID: id }, body: {} }),
    ]);
    expect(byMessage).toMatchObject({ status: 'fulfilled', value: { status: 200 } });
    expect(['fulfilled', 'rejected']).toContain(byJob.status);
    await app.messageIn(id, 'read');
    await app.idle();
    expect(await sentTexts()).toEqual(['Hello']);
    await jobsAreClean();
  });

  test('a message that is no longer queued: its job ends quietly', async () => {
    const { id } = await scheduled();
    await storedMessages.change(app, id, { status: 'failed' });
    await pass(id, 2);
    await waitFor('its job to end', async () => (await app.jobOf(id)) === undefined);
    expect(await sentTexts()).toEqual([]);
    await storedMessages.change(app, id, { is_scheduled: false });
    await jobsAreClean();
  });

  test('a contact that was erased', async () => {
    const { id } = await scheduled();
    expect((await app.call('contacts.delete', { params: { contactID: conversation.contactId } })).status).toBe(204);
    await pass(id, 2);
    expect((await app.messageIn(id, 'failed')).failure).toMatchObject({ code: 'contact_deleted' });
    await jobsAreClean();
  });
});
