import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { contactTable, readContactListing } from '../../../../src/contacts/list.ts';
import { openDatabase } from '../../../../src/open-database.ts';
import { onBehalfOf } from '../../../../src/platform/database/connection-shares.ts';
import type { Database } from '../../../../src/platform/database/database.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { readPage } from '../../../../src/platform/listing/page.ts';
import type { Ask } from '../../../../src/platform/listing/paging.ts';
import { createReads, TooSlow } from '../../../../src/platform/listing/reads.ts';
import { crowd } from '../../../../src/platform/load/busy.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { holdTime } from '../../../support/fake-timers.ts';
import { collectingLog } from '../../../support/log.ts';
import { waitFor } from '../../../support/wait-for.ts';

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const made = await createTestDatabase();
  drop = made.drop;
  database = await openDatabase({ url: made.url, poolMax: 5, applicationName: 'kanal-test', log: collectingLog().log });
});
afterAll(async () => {
  await database.close();
  await drop();
});

const bounds = { atOnce: 2, checks: 1_000, ms: 5_000 };
const settings = `select current_setting('statement_timeout') as limit, current_setting('max_parallel_workers_per_gather') as parallel`;
const matchNothing = readContactListing({ filters: '[{"field":"name","operator":"contains","value":"nothing"}]' });

test('a statement of a dear read has a time limit of its own, and no second process of the server', async () => {
  const reads = createReads(database, bounds);
  const before = await reads.plain(settings, []);
  expect(await reads.dear('a', (ask) => ask(settings, []))).toEqual([{ limit: '5s', parallel: '0' }]);
  expect(await reads.plain(settings, [])).toEqual(before);
});

test('a statement beyond it is a 503 that says what to do, and leaves its connection and its place to others', async () => {
  const reads = createReads(database, { ...bounds, atOnce: 1, ms: 100 });
  const slow = reads.dear('a', (ask) => ask('select pg_sleep(20)', []));
  await expect(slow).rejects.toMatchObject({
    code: 'unavailable',
    status: 503,
    retryAfterSeconds: 5,
    message: 'This takes too long: narrow it by search or filters, ask for a smaller page, or leave out include_total',
  });
  expect(await reads.dear('a', (ask) => ask('select 1 as one', []))).toEqual([{ one: 1 }]);
  expect(database.connections()).toMatchObject({ waiting: 0 });
});

test('of one organization few run at once and some wait; one more is refused; another organization waits for none of them', async () => {
  const reads = createReads(database, bounds);
  let running = 0;
  let maxRunning = 0;
  let goOn: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const held = Array.from({ length: 52 }, () =>
    reads.dear('busy', async () => {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await gate;
      running -= 1;
    }),
  );
  await expect(reads.dear('busy', async () => undefined)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  expect(await reads.dear('other', (ask) => ask('select 1 as one', []))).toEqual([{ one: 1 }]);
  await waitFor('two to run', () => running === 2);
  goOn();
  await Promise.all(held);
  expect(maxRunning).toBe(2);
});

describe('rests', () => {
  let time: ReturnType<typeof holdTime>;
  let begun: string[];
  beforeEach(() => {
    time = holdTime();
    begun = [];
  });
  afterEach(() => time.goOn());

  const readsOf = () => {
    const reads = createReads(database, { ...bounds, atOnce: 1, ms: 1_500 });
    return (organizationId: string, name: string, ms: number) =>
      reads.dear(organizationId, async () => {
        begun.push(name);
        time.spend(ms);
      });
  };

  test('an organization that goes on reading rests for longer, no longer than the longest list, and another one does not', async () => {
    const read = readsOf();
    /** The next read of `a` begins after exactly so long. */
    const beginsAfter = async (name: string, ms: number, tookMs: number) => {
      const next = read('a', name, tookMs);
      await time.pass(ms - 1);
      await read('b', `beside ${name}`, 0);
      expect(begun).not.toContain(name);
      await time.pass(1);
      await next;
    };
    await read('a', 'first', 1_000);
    // As long as it took: 2 s of rest are free for a moment.
    await beginsAfter('second', 1_000, 500);
    // Three times as long as both took is 4.5 s, of which 2 are free and 1 is over.
    await beginsAfter('third', 1_500, 0);
    await read('a', 'fourth', 1_400);
    await beginsAfter('fifth', 1_500, 0);
  });

  test('short ones that wait behind a long one wait for its rest once', async () => {
    const read = readsOf();
    await read('a', 'long', 1_400);
    const short = ['one', 'two', 'three'].map((name) => read('a', name, 0));
    await time.pass(1_499);
    await read('b', 'other', 0);
    expect(begun).toEqual(['long', 'other']);
    await time.pass(1);
    await Promise.all(short);
    expect(begun).toEqual(['long', 'other', 'one', 'two', 'three']);
  });

  test('short lists are free, however many', async () => {
    const read = readsOf();
    // No time passes between them: the next one would wait for ever for a rest.
    for (let number = 0; number < 20; number += 1) await read('a', `${number}`, 100);
    expect(begun).toHaveLength(20);
  });
});

test('what waits for somebody who has left does not begin, and the next one has the place at once', async () => {
  const reads = createReads(database, { ...bounds, atOnce: 1 });
  let [hasLeft, begun] = [false, 0];
  const { promise: gate, resolve: goOn } = Promise.withResolvers<void>();
  const first = reads.dear('a', () => gate);
  const left = onBehalfOf(
    'a',
    () =>
      reads.dear('a', async () => {
        begun += 1;
      }),
    () => hasLeft,
  );
  const refused = expect(left).rejects.toMatchObject({ code: 'unavailable', message: 'The client left before its turn' });
  hasLeft = true;
  goOn();
  await first;
  await refused;
  expect(begun).toBe(0);
  expect(await onBehalfOf('a', () => reads.dear('a', (ask) => ask('select 1 as one', [])))).toEqual([{ one: 1 }]);
});

test('an organization is there for others as long as its looks and files have steps', async () => {
  const reads = createReads(database, { atOnce: 1, checks: 100, ms: 1_000 });
  const met = jest.spyOn(crowd, 'met');
  try {
    const [look, file] = [uuidv7(), uuidv7()];
    for (let step = 0; step < 3; step += 1) await reads.lookInTurn(look, async () => {});
    async function* pieces() {
      yield 'a';
      yield 'b';
    }
    for await (const _ of reads.inTurns(file, pieces()));
    expect(met.mock.calls.flat()).toEqual([look, look, look, file, file, file]);
  } finally {
    met.mockRestore();
  }
});

async function contacts(count: number): Promise<string> {
  const organizationId = uuidv7();
  await database.pool.query(`insert into organizations (id, name) values ($1, 'Lists')`, [organizationId]);
  await database.pool.query(
    `insert into contacts (id, organization_id, name, created_at)
     select uuidv7(), $1, case n when 1 then 'The needle' else 'Hay ' || n end, '2026-01-01'::timestamptz + n * interval '1 s' from generate_series(1, $2::int) n`,
    [organizationId, count],
  );
  return organizationId;
}

test('a page looks at so many records and no more, and the next goes on behind them', async () => {
  const organizationId = await contacts(2_500);
  const { plain, bounds: own } = createReads(database, bounds);
  const found = readContactListing({ filters: '[{"field":"name","operator":"contains","value":"needle"}]' });
  const ends: (string | undefined)[] = [];
  const names: string[] = [];
  let after: string[] | undefined;
  do {
    const { rows, end } = await readPage<{ name: string }>(plain, contactTable, organizationId, found, { limit: 25, after }, own);
    names.push(...rows.map(({ name }) => name));
    ends.push(end?.[0]?.slice(11, 19));
    after = end;
  } while (after);
  // The newest was made 2,500 s after midnight; 1,000 are looked at for each page.
  expect(ends).toEqual(['00:25:01', '00:08:21', undefined]);
  expect(names).toEqual(['The needle']);
});

test('more conditions look at fewer records', async () => {
  const organizationId = await contacts(300);
  const filters = Array.from({ length: 10 }, (_, n) => ({ field: 'name', operator: 'not_contains', value: `Hay ${n}` }));
  const { plain, bounds: own } = createReads(database, bounds);
  const listing = readContactListing({ filters: JSON.stringify(filters) });
  const { rows, end } = await readPage(plain, contactTable, organizationId, listing, { limit: 25 }, own);
  expect(rows).toEqual([]);
  // 100 of 300: a thousand checks of ten conditions.
  expect(end?.[0]).toContain('00:03:21');
});

test('a window cut by the time limit ends the page where the one before it ended', async () => {
  const organizationId = await contacts(300);
  const { plain } = createReads(database, bounds);
  let asked = 0;
  const ask: Ask = async (text, params) => {
    asked += 1;
    if (asked === 2) throw new TooSlow();
    return plain(text, params);
  };
  const { rows, end } = await readPage(ask, contactTable, organizationId, matchNothing, { limit: 9 }, bounds);
  expect(rows).toEqual([]);
  expect(end?.[0]).toContain('00:04:21');
  const first: Ask = async () => {
    throw new TooSlow();
  };
  await expect(readPage(first, contactTable, organizationId, matchNothing, { limit: 9 }, bounds)).rejects.toBeInstanceOf(TooSlow);
});
