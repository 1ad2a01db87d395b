import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { openDatabase } from '../../../../src/open-database.ts';
import type { Database } from '../../../../src/platform/database/database.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { listEvents } from '../../../../src/platform/events/list.ts';
import { readStream } from '../../../../src/platform/events/stream.ts';
import { createReads } from '../../../../src/platform/listing/reads.ts';
import { organizationWithKey } from '../../../support/factories/organization.ts';
import { fc, numRuns } from '../../../support/fast-check.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { collectingLog } from '../../../support/log.ts';
import { turns } from '../../../support/turns.ts';
import { waitFor } from '../../../support/wait-for.ts';

let house: House;
/** As two web processes: each knows by itself what is settled. */
let processes: Database[];
let writers: pg.Client[];

beforeAll(async () => {
  house = await openHouse();
  const open = () => openDatabase({ url: house.url, poolMax: 2, applicationName: 'kanal-test', log: collectingLog().log });
  processes = [await open(), await open()];
  writers = Array.from({ length: 6 }, () => new pg.Client({ connectionString: house.url }));
  await Promise.all(writers.map((writer) => writer.connect()));
});
afterAll(async () => {
  await Promise.all(writers.map((writer) => writer.end()));
  await Promise.all(processes.map((database) => database.close()));
  await house.close();
});

let organizationId: string;
beforeEach(async () => {
  organizationId = (await organizationWithKey(house.em())).organizationId;
});

const bounds = { atOnce: 2, checks: 1_000, ms: 5_000 };
const depsOf = (database: Database) => ({ database, reads: createReads(database, bounds) });
const read = (database: Database, after: string | undefined, limit = 3) =>
  readStream(depsOf(database), ownRows(database, organizationId), {}, { after, limit });

async function insert(writer: pg.Client, organization = organizationId): Promise<string> {
  const { rows } = await writer.query<{ seq: string }>(
    `insert into events (id, organization_id, type, subject_type, subject_id, data)
     values (uuidv7(), $1, 'message.sent', 'message', uuidv7(), '{}')
     returning seq`,
    [organization],
  );
  return rows[0]!.seq;
}

/** Reads on, by one process after the other, until it has this many events and no more are to come. */
async function readAll(count: () => number, isOver: () => boolean): Promise<string[]> {
  const seen: string[] = [];
  let after: string | undefined;
  for (let turn = 0; turn < 20_000; turn += 1) {
    const page = await read(processes[turn % 2]!, after, 1 + (turn % 4));
    seen.push(...page.rows.map(({ seq }) => seq));
    after = page.next;
    if (isOver() && seen.length >= count() && !page.hasMore) break;
    if (page.rows.length === 0) await turns(3);
  }
  return seen;
}

test('an event that commits late is not passed over, and what is newer waits for it', async () => {
  const [late, quick] = writers as [pg.Client, pg.Client];
  await late.query('begin');
  const first = await insert(late);
  const second = await insert(quick);
  const own = ownRows(processes[0]!, organizationId);
  const reads = createReads(processes[0]!, bounds);
  const shown = await listEvents(reads, own, {}, { order: 'asc', limit: 10 });
  // A cursor that went on from here would have lost the first.
  expect(shown.rows.map(({ seq }) => seq)).toEqual([second]);
  const before = await read(processes[0]!, undefined);
  expect([before.rows, before.hasMore]).toEqual([[], false]);
  expect(BigInt(before.next)).toBeLessThan(BigInt(first));
  await late.query('commit');
  expect(
    await readAll(
      () => 2,
      () => true,
    ),
  ).toEqual([first, second]);
  const after = await waitFor('the second to be settled', async () => {
    const page = await read(processes[0]!, before.next);
    return page.rows.length === 2 && page;
  });
  expect(BigInt(after.next)).toBeGreaterThanOrEqual(BigInt(second));
});

test('one that is rolled back holds up nothing for good', async () => {
  const [undone, quick] = writers as [pg.Client, pg.Client];
  await undone.query('begin');
  await insert(undone);
  const second = await insert(quick);
  await undone.query('rollback');
  expect(
    await readAll(
      () => 1,
      () => true,
    ),
  ).toEqual([second]);
});

test('while there is always some long transaction, what is older than them all comes through', async () => {
  const [one, other, quick] = writers as [pg.Client, pg.Client, pg.Client];
  const open = async (writer: pg.Client) => {
    await writer.query('begin');
    await writer.query('select pg_current_xact_id()');
  };
  await open(one);
  const first = await insert(quick);
  expect((await read(processes[0]!, undefined)).rows).toEqual([]);
  await open(other);
  const second = await insert(quick);
  await one.query('commit');
  const page = await waitFor('the first', async () => {
    const found = await read(processes[0]!, undefined);
    return found.rows.length > 0 && found;
  });
  expect(page.rows.map(({ seq }) => seq)).toEqual([first]);
  await other.query('commit');
  expect(
    await readAll(
      () => 2,
      () => true,
    ),
  ).toEqual([first, second]);
});

test('a transaction has its id before it draws a number', async () => {
  const [row] = await house.sql<{ expression: string }>(
    `select pg_get_expr(d.adbin, d.adrelid) as expression from pg_attrdef d
       join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      where d.adrelid = 'events'::regclass and a.attname = 'seq'`,
  );
  expect(row!.expression.trim()).toMatch(/^CASE\s+WHEN \(pg_current_xact_id\(\) IS NOT NULL\) THEN nextval\(/);
});

const transaction = fc.record({
  hasIdEarly: fc.boolean(),
  events: fc.array(fc.record({ isStrangers: fc.boolean(), pause: fc.nat(40) }), { minLength: 1, maxLength: 4 }),
  rest: fc.nat(60),
  commits: fc.boolean(),
});

test('whatever the order of commits, a reader of small pages gets each committed event once, in the order of seq', async () => {
  const stranger = (await organizationWithKey(house.em())).organizationId;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(transaction, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: writers.length }),
      async (scripts) => {
        organizationId = (await organizationWithKey(house.em())).organizationId;
        const committed: string[] = [];
        let isOver = false;
        const write = async (writer: pg.Client, script: (typeof scripts)[number]) => {
          for (const { hasIdEarly, events, rest, commits } of script) {
            await writer.query('begin');
            if (hasIdEarly) await writer.query('select pg_current_xact_id()');
            const drawn: string[] = [];
            for (const { isStrangers, pause } of events) {
              await turns(pause);
              const seq = await insert(writer, isStrangers ? stranger : organizationId);
              if (!isStrangers) drawn.push(seq);
            }
            await turns(rest);
            await writer.query(commits ? 'commit' : 'rollback');
            if (commits) committed.push(...drawn);
          }
        };
        const reading = readAll(
          () => committed.length,
          () => isOver,
        );
        await Promise.all(scripts.map((script, index) => write(writers[index]!, script)));
        isOver = true;
        const inOrder = committed.map(BigInt).sort((one, other) => (one < other ? -1 : 1));
        expect((await reading).map(BigInt)).toEqual(inOrder);
      },
    ),
    { numRuns: numRuns({ default: 2, deep: 15 }), endOnFailure: true },
  );
});
