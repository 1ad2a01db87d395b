import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Channel, type Reply, useApp } from '../../support/app.ts';
import { countRoundTrips } from '../../support/round-trips.ts';
import { storedIdempotencyKeys } from '../../support/stored/accounts.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp();
let channel: Channel;
let phone: string;
let conversationId: string;
let trips: ReturnType<typeof countRoundTrips>;

const keyed = (key?: string): { headers?: Record<string, string> } => (key ? { headers: { 'idempotency-key': key } } : {});
const send = (key?: string, to = phone, text = 'Hello') =>
  app.call('messages.send', {
    body: { channel_id: channel.id, to: `+${to}`, type: 'text', text: { body: text } },
    ...keyed(key),
  });
const create = (body: object, key?: string) => app.call('contacts.create', { body, ...keyed(key) });
const somebody = () => ({ email: `${randomUUID()}@example.com` });
const storedFor = (key: string) => storedIdempotencyKeys.all(app, { key }, { columns: ['status'] });

async function tripsOf(status: number, work: () => Promise<Reply>): Promise<number> {
  let got: Reply | undefined;
  const count = await trips.during(async () => {
    got = await work();
  });
  expect(got!.status).toBe(status);
  return count;
}

/** The heartbeat of the process may fall into one of them. */
async function leastTripsOf(status: number, work: () => Promise<Reply>): Promise<number> {
  const counts = [await tripsOf(status, work), await tripsOf(status, work), await tripsOf(status, work)];
  return Math.min(...counts);
}

beforeAll(async () => {
  channel = await app.connect();
  ({ phone, id: conversationId } = await app.conversation(channel));
  trips = countRoundTrips(app.web.deps.database.pool);
  // The caller is known from now on, and each statement is prepared.
  await send();
  await send(randomUUID());
});

describe('an Idempotency-Key', () => {
  test('costs a message one round trip more', async () => {
    expect(await leastTripsOf(201, () => send())).toBe(2);
    expect(await leastTripsOf(201, () => send(randomUUID()))).toBe(3);
  });

  test('costs a new contact one round trip more', async () => {
    expect(await leastTripsOf(201, () => create(somebody()))).toBe(2);
    expect(await leastTripsOf(201, () => create(somebody(), randomUUID()))).toBe(3);
  });

  test('is answered in one round trip when its reply is stored', async () => {
    const key = randomUUID();
    await send(key);
    expect(await tripsOf(201, () => send(key))).toBe(1);
  });

  test('costs a refusal one round trip more, which stores it', async () => {
    const key = randomUUID();
    const stranger = app.phone();
    expect(await tripsOf(422, () => send(undefined, stranger))).toBe(1);
    expect(await tripsOf(422, () => send(key, stranger))).toBe(2);
    expect(await storedFor(key)).toEqual([{ status: 422 }]);
  });
});

test('a key used with another body is told so, also where the body is refused before anything is looked for', async () => {
  const key = randomUUID();
  expect((await create(somebody(), key)).status).toBe(201);
  const { status, body } = await create({ name: 'Nobody' }, key);
  expect([status, body.error.code]).toEqual([422, 'idempotency_mismatch']);
});

describe('a key that is taken between the look and the write', () => {
  /** The first request has looked, and waits for the conversation's lock, while `work` runs. */
  async function meanwhile<Result>(request: () => Promise<Reply>, work: () => Promise<Result>): Promise<[Reply, Result]> {
    const holder = new pg.Client({ connectionString: app.web.deps.config.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`conversation:${conversationId}`]);
    const first = request();
    await waitFor('the wait for the lock', async () => {
      const rows = await app.rows(
        `select 1 from pg_locks l join pg_database d on d.oid = l.database
          where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
      );
      return rows.length > 0;
    });
    const result = await work();
    await holder.query('commit');
    await holder.end();
    return [await first, result];
  }
  /** Of a second request: its look gives the connection back, then it waits for its turn in the process. */
  async function afterLook(request: () => Promise<Reply>) {
    const looked = new Promise((resolve) => app.web.deps.database.pool.once('release', resolve));
    const reply = request();
    await looked;
    return { reply };
  }
  const messagesWith = (text: string) => app.rows(`select id from messages where content ->> 'body' = $1`, [text]);

  test('by the same request: one effect, and the other gets its reply', async () => {
    const [key, text] = [randomUUID(), randomUUID()];
    const both = () => send(key, phone, text);
    const [first, second] = await meanwhile(both, () => afterLook(both));
    const replies = [first, await second.reply];
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    expect(replies[1]!.text).toBe(replies[0]!.text);
    expect(replies.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    expect(await messagesWith(text)).toHaveLength(1);
  });

  test('by another body: a 422, and nothing is written', async () => {
    const [key, text] = [randomUUID(), randomUUID()];
    const [reply] = await meanwhile(
      () => send(key, phone, text),
      async () => {
        await create(somebody(), key);
        await storedIdempotencyKeys.change(app, { key }, { path: '/v1/messages' });
      },
    );
    expect([reply.status, reply.body.error.code]).toEqual([422, 'idempotency_mismatch']);
    expect(await messagesWith(text)).toEqual([]);
  });

  test('by one that still runs: a 409, and nothing is written or stored', async () => {
    const [key, text] = [randomUUID(), randomUUID()];
    const runs = new pg.Client({ connectionString: app.web.deps.config.databaseUrl });
    await runs.connect();
    const [reply] = await meanwhile(
      () => send(key, phone, text),
      async () => {
        const lock = [app.tenant.organizationId, 'POST', '/v1/messages', key].join('\n');
        await runs.query('select pg_advisory_lock(hashtextextended($1, 1))', [lock]);
      },
    );
    await runs.end();
    expect([reply.status, reply.body.error.code]).toEqual([409, 'request_in_progress']);
    expect(await messagesWith(text)).toEqual([]);
    expect(await storedFor(key)).toEqual([]);
  });
});
