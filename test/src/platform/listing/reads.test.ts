import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
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
import { collectingLog } from '../../../support/log.ts';

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
  while (running < 2) await sleep(5);
  goOn();
  await Promise.all(held);
  expect(maxRunning).toBe(2);
});

test('whoever goes on asking rests for longer, no longer than the longest list, and another organization does not', async () => {
  const reads = createReads(database, { ...bounds, atOnce: 1, ms: 1_500 });
  const tookMs = async (organizationId: string, seconds: number) => {
    const beganAt = performance.now();
    await reads.dear(organizationId, (ask) => ask(`select pg_sleep(${seconds})`, []));
    return performance.now() - beganAt;
  };
  await tookMs('a', 1);
  // After as long a rest: more is free for a moment.
  expect(await tookMs('a', 0.5)).toBeGreaterThan(1_450);
  const next = tookMs('a', 0);
  expect(await tookMs('b', 0)).toBeLessThan(1_000);
  // Three times as long as both took is 4.5 s, of which 2 are free and 1 is over.
  expect(await next).toBeGreaterThan(1_200);
  await tookMs('a', 1.4);
  const last = await tookMs('a', 0);
  expect(last).toBeGreaterThan(1_350);
  expect(last).toBeLessThan(3_500);
});

test('short ones that wait behind a long one wait for its rest once', async () => {
  const reads = createReads(database, { ...bounds, atOnce: 1, ms: 1_500 });
  const ask = (seconds: number) => reads.dear('a', (run) => run(`select pg_sleep(${seconds})`, []));
  const beganAt = performance.now();
  const ended: number[] = [];
  const all = [ask(1.4), ask(0), ask(0), ask(0)].map((one) => one.then(() => ended.push(performance.now() - beganAt)));
  await Promise.all(all);
  // With its debt each of them would keep the place for a second and a half.
  expect(ended[3]! - ended[1]!).toBeLessThan(1_000);
  expect(ended[1]! - ended[0]!).toBeGreaterThan(1_300);
});

test('what waits for somebody who has left does not begin, and the next one has the place at once', async () => {
  const reads = createReads(database, { ...bounds, atOnce: 1 });
  let [hasLeft, begun] = [false, 0];
  const first = reads.dear('a', (ask) => ask('select pg_sleep(0.1)', []));
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

test('short lists are free, however many', async () => {
  const reads = createReads(database, { ...bounds, atOnce: 1 });
  const beganAt = performance.now();
  for (let number = 0; number < 20; number += 1) await reads.dear('a', (ask) => ask('select pg_sleep(0.1)', []));
  expect(performance.now() - beganAt).toBeLessThan(5_500);
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
