import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { forgetJobs, storedJobs } from '../../support/stored/api-jobs.ts';
import { storedConversations, storedMessages } from '../../support/stored/messaging.ts';
import { ago } from '../../support/stored/times.ts';

const app = useApp();
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

async function sent(): Promise<string> {
  const { phone } = await app.conversation(channel);
  return (await app.text(channel, phone)).body.data.id;
}

describe('get', () => {
  const specified = ['id', 'channel_id', 'to_phone', 'type', 'status', 'provider_message_id', 'created_at', 'updated_at'];

  test("wraps the spec's eight fields in data, strings all", async () => {
    const id = await sent();
    const { status, body } = await app.call('messages.get', {
      params: { messageID: id },
      headers: { accept: 'application/json' },
    });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['data']);
    for (const field of specified) expect(typeof body.data[field]).toBe('string');
    expect(body.data.id).toBe(id);
    expect(body.data.to_phone).toMatch(/^\d+$/);
    expect(body.data.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('shows what a message answers, and from whom a received one is', async () => {
    const shown = async (id: string) => (await app.call('messages.get', { params: { messageID: id } })).body.data;
    const id = await sent();
    expect(await shown(id)).not.toHaveProperty('context');
    expect(await shown(id)).not.toHaveProperty('from_phone');
    await storedMessages.change(app, id, { context_id: 'wamid.asked' });
    expect((await shown(id)).context).toEqual({ message_id: null, provider_message_id: 'wamid.asked' });
    await storedMessages.change(app, id, { direction: 'inbound', status: 'received', from_phone: '16505551234' });
    expect((await shown(id)).from_phone).toBe('16505551234');
  });

  test('names what a message answers also where that is stored, or gets its id of the provider, after the answer', async () => {
    const [answer, asked] = [await sent(), await sent()];
    await storedMessages.change(app, answer, { context_id: 'wamid.later' });
    const get = async () => (await app.call('messages.get', { params: { messageID: answer } })).body.data.context;
    const listed = async (query: Record<string, string>) =>
      (await app.call('messages.list', { query })).body.items.find(({ id }: { id: string }) => id === answer).context;
    expect(await get()).toEqual({ message_id: null, provider_message_id: 'wamid.later' });
    await storedMessages.change(app, asked, { provider_message_id: 'wamid.later' });
    const named = { message_id: asked, provider_message_id: 'wamid.later' };
    expect(await get()).toEqual(named);
    expect(await listed({})).toEqual(named);
    expect(await listed({ direction: 'outbound' })).toEqual(named);
  });

  test('costs one statement with a hot key: neither the credential nor the limit asks the database', async () => {
    const id = await sent();
    const get = () => app.call('messages.get', { params: { messageID: id } });
    await get();
    await app.web.deps.authenticate.settled();
    const { pool } = app.web.deps.database;
    const { query } = pool;
    const statements: unknown[] = [];
    pool.query = ((...args: Parameters<typeof query>) => {
      statements.push(args[0]);
      return query.apply(pool, args);
    }) as typeof query;
    try {
      expect((await get()).status).toBe(200);
    } finally {
      pool.query = query;
    }
    expect(statements.filter((text) => /messages/.test(String(text)))).toHaveLength(1);
    expect(statements.filter((text) => /api_keys|bearer_tokens|sessions|memberships|login_limits/.test(String(text)))).toEqual(
      [],
    );
  });

  test.each([
    ['01932d5f-3a0e-7cc4-8f4e-0242ac120005', 'a message nobody has'],
    ['not-a-uuid', 'a malformed id'],
    ['%00', 'a NUL'],
  ])('%s: 404 in problem style (%s)', async (id) => {
    const { status, headers, text } = await app.raw('GET', `/v1/messages/${id}`);
    expect(status).toBe(404);
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(JSON.parse(text)).toEqual({ title: 'Not Found', status: 404, detail: 'Message not found' });
  });

  test('without a key: 401 in problem style', async () => {
    const { status, body } = await app.call('messages.get', { params: { messageID: await sent() }, key: null });
    expect([status, body.title, body.status]).toEqual([401, 'Unauthorized', 401]);
  });

  test('faults of the query keep the shape, joined in the text', async () => {
    const { status, body } = await app.call('messages.get', { params: { messageID: await sent() }, query: { a: 1, b: 2 } });
    expect([status, body.title]).toEqual([422, 'Unprocessable Entity']);
    expect(body.detail).toMatch(/a is not allowed; b is not allowed/);
  });
});

describe('retry', () => {
  async function failed(providerMessageId: string | null = null): Promise<string> {
    const id = await sent();
    await storedMessages.change(app, id, {
      status: 'failed',
      failure: { code: 'provider_refused', provider_code: '1', message: 'no' },
      provider_message_id: providerMessageId,
    });
    await storedJobs.change(app, { subject_id: id }, { state: 'failed', attempts: 3, error: { code: 'x', message: 'no' } });
    return id;
  }
  const retry = (id: string, body?: object) => app.call('messages.retry', { params: { messageID: id }, body });

  test('the window counts as for a new message, but not for a template', async () => {
    const id = await failed();
    const { conversation_id } = await app.message(id);
    await storedConversations.change(app, conversation_id, { last_inbound_at: ago(25, 'hour') });
    const refused = await retry(id);
    expect([refused.status, refused.body.error.code]).toEqual([422, 'window_closed']);
    expect((await app.message(id)).status).toBe('failed');
    await storedMessages.change(app, id, { type: 'template' });
    expect((await retry(id)).body.data.status).toBe('queued');
  });

  test('twice is once', async () => {
    const id = await failed();
    const before = await app.jobOf(id);
    const replies = await Promise.all([retry(id), retry(id)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    for (const { body } of replies) expect(body.data).toMatchObject({ status: 'queued', failure: null });
    await retry(id);
    const after = await app.jobOf(id);
    expect(after).toMatchObject({ run: before.run + 1, attempts: 0, error: null });
    expect(Number(after.seq)).toBeGreaterThan(Number(before.seq));
    expect(await storedJobs.count(app, { subject_id: id })).toBe(1);
  });

  test('opens a resolved conversation again; its preview stays', async () => {
    const id = await failed();
    const { conversation_id } = await app.message(id);
    const conversation = () => storedConversations.one(app, conversation_id, ['status', 'preview']);
    await storedConversations.change(app, conversation_id, { status: 'resolved', preview: 'Newer' });
    await retry(id);
    expect(await conversation()).toEqual({ status: 'open', preview: 'Newer' });
  });

  test('a message the provider took goes out again only with force', async () => {
    const id = await failed('wamid.taken');
    for (const body of [undefined, {}, { force: false }]) {
      const refused = await retry(id, body);
      expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
      expect(refused.body.error.message).toContain('force');
    }
    expect(await app.message(id)).toMatchObject({ status: 'failed', provider_message_id: 'wamid.taken' });
    const { status, body } = await retry(id, { force: true });
    expect([status, body.data.status, body.data.provider_message_id]).toEqual([200, 'queued', '']);
    expect(await app.jobOf(id)).toMatchObject({ run: 1, attempts: 0 });
  });

  test('a message that failed by a status after it was sent has no job left, and needs force too', async () => {
    const id = await failed('wamid.late');
    await forgetJobs(app, id);
    expect((await retry(id)).status).toBe(409);
    expect((await retry(id, { force: true })).body.data.status).toBe('queued');
    expect(await app.jobOf(id)).toMatchObject({ name: 'messages.send' });
  });

  test.each(['sent', 'delivered', 'read'])('a message that is %s: 409', async (status) => {
    const id = await sent();
    await storedMessages.change(app, id, { status });
    const reply = await retry(id, { force: true });
    expect([reply.status, reply.body.error.code]).toEqual([409, 'conflict']);
  });

  test('one that is on its way stays as it is', async () => {
    const id = await sent();
    const before = await app.jobOf(id);
    expect((await retry(id)).body.data.status).toBe('queued');
    expect((await app.jobOf(id)).run).toBe(before.run);
  });

  test.each([
    ['force as text', { force: 'yes' }],
    ['another property', { forced: true }],
  ])('%s: 422', async (_what, body) => {
    expect((await retry(await failed(), body)).status).toBe(422);
  });

  test.each(['01932d5f-3a0e-7cc4-8f4e-0242ac120005', 'nothing'])('%s: 404', async (id) => {
    const { status, body } = await retry(id);
    expect([status, body.error.message]).toEqual([404, 'Message not found']);
  });
});
