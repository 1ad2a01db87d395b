import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../../../../src/open-database.ts';
import type { Database } from '../../../../src/platform/database/database.ts';
import { isOurOutage } from '../../../../src/platform/database/errors.ts';
import { query } from '../../../../src/platform/database/query.ts';
import { AppError } from '../../../../src/platform/errors.ts';
import { createLoginLimits, forgetTries, type LoginLimits } from '../../../../src/platform/rate-limits/login.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { collectingLog } from '../../../support/log.ts';

let made: Awaited<ReturnType<typeof createTestDatabase>>;
const databases: Database[] = [];
let limits: LoginLimits;
/** As another process has them. */
let others: LoginLimits;

beforeAll(async () => {
  made = await createTestDatabase();
  for (const applicationName of ['one', 'two'])
    databases.push(await openDatabase({ url: made.url, poolMax: 5, applicationName, log: collectingLog().log }));
  [limits, others] = databases.map(createLoginLimits) as [LoginLimits, LoginLimits];
});
afterAll(async () => {
  for (const database of databases) await database.close();
  await made.drop();
});

type Row = { key: string; points: number; expire: string };
const rows = () => query<Row>(databases[0]!, 'select key, points, expire from login_limits order by key');
beforeEach(() => query(databases[0]!, 'delete from login_limits'));

/** Time passes for the rows of one kind. */
const pass = (kind: string, seconds: number) =>
  query(databases[0]!, `update login_limits set expire = expire - $2::bigint * 1000 where key like $1 || ':%'`, [kind, seconds]);

/** Whether it passes; else the seconds to wait. */
async function outcome(work: Promise<unknown>): Promise<'passed' | number> {
  try {
    await work;
    return 'passed';
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error;
    return error.retryAfterSeconds!;
  }
}
const attempt = (email: string, address: string, by = limits) => outcome(by.attempt(email, address));

async function attempts(count: number, email: string, address: (index: number) => string) {
  const outcomes: ('passed' | number)[] = [];
  for (let index = 0; index < count; index += 1) outcomes.push(await attempt(email, address(index)));
  return outcomes.filter((one) => one === 'passed').length;
}

const owner = 'ada@example.com';
const home = '203.0.113.7';
const from = (index: number) => `198.51.${Math.floor(index / 250)}.${1 + (index % 250)}`;

describe('one address, one person', () => {
  test('ten tries, and the eleventh waits for the rest of the quarter of an hour', async () => {
    expect(await attempts(10, owner, () => home)).toBe(10);
    const wait = await attempt(owner, home);
    expect(wait).toBeGreaterThan(800);
    expect(wait).toBeLessThanOrEqual(900);
    expect(await attempt(owner, home, others)).toEqual(expect.any(Number));
    await pass('pair', 901);
    expect(await attempt(owner, home)).toBe('passed');
  });

  test('of a burst at once, from two processes, ten pass', async () => {
    const burst = Array.from({ length: 30 }, (_, index) => attempt(owner, home, index % 2 ? limits : others));
    expect((await Promise.all(burst)).filter((one) => one === 'passed')).toHaveLength(10);
  });

  test('another address and another person are free meanwhile', async () => {
    expect(await attempts(12, owner, () => home)).toBe(10);
    expect(await attempt(owner, '203.0.113.8')).toBe('passed');
    expect(await attempt('grace@example.com', home)).toBe('passed');
  });

  test('the case of an email and the host within a /64 do not matter', async () => {
    for (let index = 0; index < 10; index += 1)
      expect(await attempt(index % 2 ? 'ADA@example.com' : owner, `2001:db8::${index}`)).toBe('passed');
    expect(await attempt('Ada@Example.com', '2001:db8::ffff')).toEqual(expect.any(Number));
    expect(await attempt(owner, '2001:db8:0:1::1')).toBe('passed');
  });

  test('what is refused counts for nobody else', async () => {
    expect(await attempts(200, owner, () => home)).toBe(10);
    expect((await rows()).map(({ points }) => points).sort((a, b) => a - b)).toEqual([10, 10, 200]);
  });

  test('a success begins anew and gives back what it cost', async () => {
    expect(await attempts(9, owner, () => home)).toBe(9);
    expect(await attempt(owner, home)).toBe('passed');
    await others.succeeded(owner, home);
    expect((await rows()).map(({ points }) => points)).toEqual([9, 9]);
    expect(await attempts(12, owner, () => home)).toBe(10);
  });

  test('who logs in well all day is never refused', async () => {
    for (let index = 0; index < 120; index += 1) {
      expect(await attempt(owner, home)).toBe('passed');
      await limits.succeeded(owner, home);
    }
    expect((await rows()).map(({ points }) => points)).toEqual([0, 0]);
  });
});

describe('one address, many people', () => {
  test('a hundred tries, then none, and no row for those it names after', async () => {
    const tried = async (index: number) => attempt(`person-${index}@example.com`, home);
    for (let index = 0; index < 100; index += 1) expect(await tried(index)).toBe('passed');
    const count = (await rows()).length;
    const wait = await tried(100);
    expect(wait).toBeGreaterThan(800);
    expect(wait).toBeLessThanOrEqual(900);
    expect(await rows()).toHaveLength(count);
    expect(await attempt('person-1@example.com', '203.0.113.8')).toBe('passed');
    await pass('address', 901);
    expect(await tried(101)).toBe('passed');
  });

  test('of a burst at once as many pass', async () => {
    const burst = Array.from({ length: 130 }, (_, index) => attempt(`person-${index}@example.com`, home));
    expect((await Promise.all(burst)).filter((one) => one === 'passed')).toHaveLength(100);
  });

  test('somebody who knows one password buys no tries with it', async () => {
    for (let index = 0; index < 100; index += 1) {
      expect(await attempt(`person-${index}@example.com`, home)).toBe('passed');
      if (index === 99) break;
      expect(await attempt('mine@example.com', home)).toBe('passed');
      await limits.succeeded('mine@example.com', home);
    }
    expect(await attempt('person-100@example.com', home)).toEqual(expect.any(Number));
  });
});

describe('one person, many addresses', () => {
  test('fifty attempts an hour, then each address one a minute: the owner too', async () => {
    expect(await attempts(50, owner, from)).toBe(50);
    expect(await attempt(owner, from(0))).toBe('passed');
    const wait = await attempt(owner, from(0));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);

    expect(await attempt(owner, home)).toBe('passed');
    expect(await attempts(20, owner, () => home)).toBe(0);
    // The owner’s refused attempts cost nothing: a minute later there is one attempt, and again.
    for (let turn = 0; turn < 8; turn += 1) {
      await pass('once', 61);
      expect(await attempts(3, owner, () => home)).toBe(1);
    }
    await pass('email', 3_601);
    expect(await attempt(owner, home)).toBe('passed');
  });

  test('a success of the owner opens nothing to the others', async () => {
    expect(await attempts(50, owner, from)).toBe(50);
    expect(await attempt(owner, home)).toBe('passed');
    await limits.succeeded(owner, home);
    expect(await attempt(owner, home)).toBe('passed');
    expect(await attempt(owner, from(1))).toBe('passed');
    expect(await attempt(owner, from(1))).toEqual(expect.any(Number));
  });

  test('a burst at once from eighty addresses: those beyond fifty have spent their one a minute', async () => {
    const burst = await Promise.all(Array.from({ length: 80 }, (_, index) => attempt(owner, from(index))));
    expect(burst.filter((one) => one === 'passed')).toHaveLength(80);
    const again = await Promise.all(Array.from({ length: 80 }, (_, index) => attempt(owner, from(index))));
    expect(again.filter((one) => one === 'passed')).toHaveLength(50);
  });
});

describe('mail', () => {
  test('five an hour to one person; after that the answer is the same and none goes', async () => {
    const sent = [];
    for (let index = 0; index < 8; index += 1) sent.push(await limits.mail(owner, from(index)));
    expect(sent).toEqual([true, true, true, true, true, false, false, false]);
    expect(await limits.mail('grace@example.com', from(0))).toBe(true);
    await pass('mail-email', 3_601);
    expect(await others.mail(owner, home)).toBe(true);
  });

  test('thirty an hour from one address; after that it is refused', async () => {
    for (let index = 0; index < 30; index += 1) expect(await limits.mail(`person-${index}@example.com`, home)).toBe(true);
    const count = (await rows()).length;
    const wait = await outcome(limits.mail('one-more@example.com', home));
    expect(wait).toBeGreaterThan(3_500);
    expect(wait).toBeLessThanOrEqual(3_600);
    expect(await rows()).toHaveLength(count);
    expect(await limits.mail('one-more@example.com', '203.0.113.8')).toBe(true);
  });
});

test('work that names nobody: sixty in a quarter of an hour from one address', async () => {
  const done = await Promise.all(Array.from({ length: 70 }, () => outcome(limits.work(home))));
  expect(done.filter((one) => one === 'passed')).toHaveLength(60);
  expect(await outcome(limits.work('203.0.113.8'))).toBe('passed');
  expect(await attempt(owner, home)).toBe('passed');
  await pass('work', 901);
  expect(await outcome(limits.work(home))).toBe('passed');
});

test('looks at what a link opens are counted alike, and apart from the work they lead to', async () => {
  const done = await Promise.all(Array.from({ length: 70 }, () => outcome(limits.look(home))));
  expect(done.filter((one) => one === 'passed')).toHaveLength(60);
  expect(await outcome(others.look(home))).toEqual(expect.any(Number));
  expect([await outcome(limits.work(home)), await outcome(limits.look('203.0.113.8'))]).toEqual(['passed', 'passed']);
});

test('the table holds neither email nor address', async () => {
  await attempts(51, owner, from);
  await attempt(owner, home);
  await limits.mail(owner, home);
  await limits.work(home);
  await limits.look(home);
  const kept = await rows();
  expect(new Set(kept.map(({ key }) => key.split(':')[0]))).toEqual(
    new Set(['pair', 'address', 'email', 'once', 'mail-address', 'mail-email', 'work', 'look']),
  );
  for (const { key } of kept) expect(key).toMatch(/^[a-z-]+:[\w-]{43}(\.[\w-]{43})?$/);
  const text = JSON.stringify(kept).toLowerCase();
  for (const personal of ['ada', 'example', '203.0', '198.51']) expect(text).not.toContain(personal);
});

test('an operator finds the row of an address and of an email, as docs/operations.md does', async () => {
  await attempt('Ada@example.com', '2001:db8:1:2::1');
  const found = ([kind, text]: [string, string]) =>
    query(
      databases[0]!,
      `select points from login_limits where key = $1 || ':' || rtrim(translate(encode(sha256($2::bytea), 'base64'), '+/', '-_'), '=')`,
      [kind, text],
    );
  expect(await found(['address', '2001:db8:1:2::/64'])).toEqual([{ points: 1 }]);
  expect(await found(['email', owner])).toEqual([{ points: 1 }]);
});

test('what was tried for one email, from everywhere, is forgotten; for others and from an address it is not', async () => {
  const grace = 'grace@example.com';
  await attempts(60, owner, from);
  for (const email of [owner, grace]) await attempts(11, email, () => home);
  const before = (await rows()).map(({ key }) => key);

  await forgetTries(databases[0]!, 'Ada@Example.com');

  expect([await attempt(owner, from(61)), await attempt(owner, home)]).toEqual(['passed', 'passed']);
  expect(await attempt(grace, home)).toEqual(expect.any(Number));
  const kept = (await rows()).map(({ key }) => key);
  expect(kept.filter((key) => key.startsWith('pair:'))).toHaveLength(3);
  expect(kept.filter((key) => key.startsWith('once:'))).toEqual([]);
  const addresses = before.filter((key) => key.startsWith('address:'));
  expect(addresses).toHaveLength(61);
  expect(kept).toEqual(expect.arrayContaining(addresses));
});

test('with the database away nobody is let through', async () => {
  const nowhere = 'postgresql://kanal@127.0.0.1:1/kanal';
  const database = await openDatabase({ url: nowhere, poolMax: 1, applicationName: 'unreachable', log: collectingLog().log });
  const unreachable = createLoginLimits(database);
  for (const work of [
    unreachable.attempt(owner, home),
    unreachable.mail(owner, home),
    unreachable.work(home),
    unreachable.look(home),
  ])
    expect(await work.catch(isOurOutage)).toBe(true);
  await database.close();
});
