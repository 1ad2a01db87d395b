import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Response } from 'express';
import pg from 'pg';
import { send } from '../../../../api/http/send.ts';
import { openDatabase } from '../../../../src/open-database.ts';
import {
  type ConnectionShare,
  endWriteTurn,
  onBehalfOf,
  shareConnections,
} from '../../../../src/platform/database/connection-shares.ts';
import type { Database } from '../../../../src/platform/database/database.ts';
import { query } from '../../../../src/platform/database/query.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { collectingLog } from '../../../support/log.ts';
import { waitFor } from '../../../support/wait-for.ts';

let created: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  created = await createTestDatabase();
});
afterAll(() => created.drop());

async function withShare(share: Partial<ConnectionShare>, work: (database: Database) => Promise<void>) {
  const database = await openDatabase({
    url: created.url,
    poolMax: 5,
    applicationName: 'shared',
    log: collectingLog().log,
    bounds: {
      statementMs: 60_000,
      longStatementMs: 60_000,
      lockMs: 60_000,
      transactionMs: 60_000,
      share: { places: 2, crowdedWrites: 1, maxWaiting: 100, waitMs: 60_000, ...share },
    },
  });
  await work(database).finally(() => database.close());
}

const slow = 'select pg_advisory_xact_lock_shared(1)';
const slowRead = (database: Database) => query(database, slow);
const slowWrite = (database: Database) => database.transaction(async (em) => void (await query(em, slow)));

/** While `work` is done, what is slow does not end. */
async function whileSlow(work: () => Promise<void>) {
  const client = new pg.Client({ connectionString: created.url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(1)');
    await work();
  } finally {
    await client.end();
  }
}

const busy = ({ connections }: Database) => connections().total - connections().idle;

test.each([
  ['reads', slowRead],
  ['transactions', slowWrite],
])('slow %s of one organization leave connections to the others, who wait for nothing', async (_what, work) => {
  await withShare({}, async (database) => {
    let all: Promise<unknown> = Promise.resolve();
    await whileSlow(async () => {
      all = Promise.all(Array.from({ length: 10 }, () => database.onBehalfOf('one', async () => void (await work(database)))));
      await waitFor('its connections', () => busy(database) === 2);
      for (let times = 0; times < 5; times += 1)
        await database.onBehalfOf('other', async () => void (await query(database, 'select 1')));
      expect(busy(database)).toBe(2);
    });
    await all;
    expect(busy(database)).toBe(0);
  });
});

test('one connection is left to others however large a share is', async () => {
  await withShare({ places: 50 }, async (database) => {
    let all: Promise<unknown> = Promise.resolve();
    await whileSlow(async () => {
      all = Promise.all(Array.from({ length: 10 }, () => database.onBehalfOf('one', () => slowRead(database))));
      await waitFor('its connections', () => busy(database) === 4);
      await query(database, 'select 1');
      expect(busy(database)).toBe(4);
    });
    await all;
  });
});

test('who waits too long, or behind too many, is told 503 and when to try again', async () => {
  await withShare({ places: 1, maxWaiting: 1, waitMs: 50 }, async (database) => {
    const refusal = expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 1 });
    let first: Promise<unknown> = Promise.resolve();
    await whileSlow(async () => {
      first = database.onBehalfOf('one', () => slowRead(database));
      const second = database.onBehalfOf('one', () => slowRead(database));
      await expect(database.onBehalfOf('one', () => slowWrite(database))).rejects.toEqual(refusal);
      await expect(second).rejects.toEqual(refusal);
    });
    await first;
    await database.onBehalfOf('one', () => slowRead(database));
  });
});

test('a statement that fails and a connection that breaks give their places back', async () => {
  await withShare({ places: 1, maxWaiting: 0 }, async (database) => {
    const fails = (text: string) => expect(database.onBehalfOf('one', () => query(database, text))).rejects.toThrow();
    await fails('select no_such_column');
    await fails('select pg_terminate_backend(pg_backend_pid())');
    await database.onBehalfOf('one', () => query(database, 'select 1'));
  });
});

test('work of nobody is not counted', async () => {
  await withShare({ places: 1, maxWaiting: 0 }, async (database) => {
    let all: Promise<unknown> = Promise.resolve();
    await whileSlow(async () => {
      all = Promise.all(Array.from({ length: 4 }, () => slowRead(database)));
      await waitFor('their connections', () => busy(database) === 4);
    });
    await all;
  });
});

test('a reply that streams reads on for its organization when its reader makes room', async () => {
  await withShare({ places: 1, maxWaiting: 0 }, async (database) => {
    let pieces = 0;
    async function* read() {
      for (; pieces < 200; pieces += 1) {
        await query(database, 'select 1');
        yield Buffer.alloc(1024 * 1024);
      }
    }
    const server = createServer((req, res) => {
      const reply = { status: 200, stream: Readable.from(read(), { highWaterMark: 1 }) };
      const response = Object.assign(res, { req, locals: {} }) as unknown as Response;
      void database.onBehalfOf('one', async () => send(response, reply, () => undefined));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const reply = await new Promise<IncomingMessage>((resolve) => get({ port: (server.address() as AddressInfo).port }, resolve));
    // As long as the stream would need for many pieces, whatever the machine does: a piece is one query too.
    await waitFor('the reader to be waited for', async () => {
      const before = pieces;
      for (let count = 0; count < 500; count += 1) await query(database, 'select 1');
      return before > 0 && pieces === before;
    });
    // Its one place is taken: what the stream reads next is refused, and the reply broken off.
    let end: () => void = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    const holding = database.onBehalfOf('one', () => database.transaction(() => over));
    await waitFor('the place', () => busy(database) === 1);
    const broken = new Promise((resolve) => reply.once('error', resolve));
    reply.resume();
    await expect(broken).resolves.toMatchObject({ code: 'ECONNRESET' });
    expect(pieces).toBeLessThan(200);
    end();
    await holding;
    server.close();
  });
});

describe('requests that write', () => {
  let [isShared, isCrowded] = [true, true];
  const met: string[] = [];
  const crowd = { met: (key: string) => void met.push(key), isShared: () => isShared, isCrowded: () => isCrowded };
  const share = { places: 2, crowdedWrites: 1, maxWaiting: 2, waitMs: 60_000 };
  let inWriteTurn: ReturnType<typeof shareConnections>;
  beforeEach(() => {
    [isShared, isCrowded] = [true, true];
    inWriteTurn = shareConnections(new pg.Pool({ max: 3 }), share, crowd);
  });

  /** Each ends when its `end` is called. */
  function begin(key: string, first: () => void = () => {}, hasLeft = () => false) {
    const one = { hasBegun: false, end: () => {}, done: Promise.resolve() };
    const held = new Promise<void>((resolve) => {
      one.end = resolve;
    });
    const write = async () => {
      one.hasBegun = true;
      first();
      await held;
    };
    one.done = onBehalfOf(key, () => inWriteTurn(write), hasLeft);
    return one;
  }
  const begun = (all: { hasBegun: boolean }[]) => all.map(({ hasBegun }) => hasBegun);

  test('have turns in a crowded process, each organization its own; more than may wait are told 503', async () => {
    const all = [begin('one'), begin('one'), begin('one'), begin('other')];
    await new Promise(setImmediate);
    expect(begun(all)).toEqual([true, false, false, true]);
    await expect(begin('one').done).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
    expect(met.splice(0)).toEqual(['one', 'other']);
    all[0]!.end();
    await all[0]!.done;
    await new Promise(setImmediate);
    expect(begun(all)).toEqual([true, true, false, true]);
    // Whoever has waited is still there.
    expect(met.splice(0)).toEqual(['one']);
    for (const { end } of all) end();
    await Promise.all(all.map(({ done }) => done));
  });

  test('have none where nobody else is', async () => {
    [isShared, isCrowded] = [false, false];
    const all = Array.from({ length: 20 }, () => begin('one'));
    await new Promise(setImmediate);
    expect(begun(all)).toEqual(Array(20).fill(true));
    for (const { end } of all) end();
  });

  test('are as many as their connections beside others, while the process has time', async () => {
    isCrowded = false;
    const all = Array.from({ length: 4 }, () => begin('one'));
    await new Promise(setImmediate);
    expect(begun(all)).toEqual([true, true, false, false]);
    for (const { end } of all) end();
    await Promise.all(all.map(({ done }) => done));
  });

  test('are not begun for a client that has left meanwhile', async () => {
    const [first, left, last] = [begin('one'), begin('one', undefined, () => true), begin('one')];
    const refused = expect(left.done).rejects.toMatchObject({ code: 'unavailable' });
    first.end();
    await Promise.all([first.done, refused]);
    await waitFor('the turn of the last', () => last.hasBegun);
    expect(left.hasBegun).toBe(false);
    last.end();
  });

  test('let the next begin when they wait for a lock, or when they take long', async () => {
    const waiting = begin('one', endWriteTurn);
    const long = begin('one');
    const last = begin('one');
    await new Promise(setImmediate);
    expect(begun([waiting, long, last])).toEqual([true, true, false]);
    await waitFor('the turn of the last', () => last.hasBegun);
    for (const { end } of [waiting, long, last]) end();
    await Promise.all([waiting.done, long.done, last.done]);
  });
});
