import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createPasswords } from '../../src/accounts/password-hash.ts';
import { openDatabase } from '../../src/open-database.ts';
import { createOrganization } from '../../src/organizations/organizations.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { query } from '../../src/platform/database/query.ts';
import { createLoginLimits } from '../../src/platform/rate-limits/login.ts';
import { findByEmail } from '../../src/users/users.ts';
import { createTestDatabase } from '../support/database.ts';
import { bearerToken, sessionHeaders } from '../support/factories/person.ts';
import { collectingLog } from '../support/log.ts';
import { auditRows } from '../support/work/events.ts';
import { inProcessOn } from './in-process.ts';

const passwords = createPasswords();
const given = ' ein Satz, den niemand errät ';
let drop: () => Promise<void>;
let database: Database;
let kanal: ReturnType<typeof inProcessOn>;
let withInput: (input: string) => ReturnType<typeof inProcessOn>;
let [harbour, market] = ['', ''];

beforeAll(async () => {
  const created = await createTestDatabase();
  drop = created.drop;
  kanal = inProcessOn(created.url);
  withInput = (input) => inProcessOn(created.url, input);
  database = await openDatabase({ url: created.url, poolMax: 2, applicationName: 'test', log: collectingLog().log });
  harbour = await createOrganization(database.em(), 'Harbour Books');
  market = await createOrganization(database.em(), 'Market\u001b[2J Tea');
});
afterAll(async () => {
  await passwords.close();
  await database.close();
  await drop();
});

const isPassword = async (email: string, password: string) =>
  passwords.verify((await findByEmail(database.em(), email))!.password_hash, password);
const acts = () => auditRows.all(database, {}, ['organization_id', 'actor', 'action', 'subject'], { id: 'asc' });

test('a user is made with a password that is printed once, and let into an organization', async () => {
  const made = await kanal('user', 'create', 'Ada@Example.com', '--organization', harbour);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const [, id, password] = /^id {8}(\S{36})\npassword {2}([0-9A-Za-z]{24})\n$/.exec(made.stdout)!;
  expect(await findByEmail(database.em(), 'ada@example.com')).toMatchObject({ id, name: 'ada', email_verified: true });
  expect(await isPassword('ada@example.com', password!)).toBe(true);

  const listed = await kanal('user', 'list', '--organization', harbour, '--json');
  expect(JSON.parse(listed.stdout)).toEqual([
    { id, email: 'ada@example.com', name: 'ada', created_at: expect.stringMatching(/^\d{4}-.*Z$/), role: 'owner' },
  ]);
  expect(await acts()).toEqual([
    { organization_id: harbour, actor: 'cli', action: 'users.create', subject: `user:${id}` },
    { organization_id: harbour, actor: 'cli', action: 'members.create', subject: `member:${id}` },
  ]);
});

test('somebody who is there is let in with their own password', async () => {
  const { id, password_hash } = (await findByEmail(database.em(), 'ada@example.com'))!;
  const create = (role: string) =>
    withInput(given)('user', 'create', 'ada@example.com', '--organization', market, '--role', role, '--password-stdin');
  expect(await create('viewer')).toEqual({
    code: 0,
    stdout: `id        ${id}\nThere is a user of this email: made viewer of the organization, name and password as before\n`,
    stderr: '',
  });
  expect(await create('admin')).toMatchObject({
    code: 0,
    stdout: `id        ${id}\nThe user is a member already, as viewer: nothing to do\n`,
  });
  expect((await findByEmail(database.em(), 'ada@example.com'))!.password_hash).toBe(password_hash);
  expect((await acts()).slice(2)).toEqual([
    { organization_id: market, actor: 'cli', action: 'members.create', subject: `member:${id}` },
  ]);
  expect(await kanal('user', 'create', 'ada@example.com')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'There is a user of this email already\n',
  });
});

test('a new password ends every session and token', async () => {
  const { id } = (await findByEmail(database.em(), 'ada@example.com'))!;
  await sessionHeaders(database.em(), id, 'http://127.0.0.1');
  await bearerToken(database.em(), harbour, id);
  await createLoginLimits(database).attempt('ada@example.com', '203.0.113.7');
  const before = (await acts()).length;

  expect(await withInput(`${given}\r\n`)('user', 'password', 'ada@example.com', '--password-stdin')).toEqual({
    code: 0,
    stdout: 'The password is set; all sessions and bearer tokens of the user have ended\n',
    stderr: '',
  });
  expect(await isPassword('ada@example.com', given)).toBe(true);
  const left = 'select id from sessions where user_id = $1 union all select id from bearer_tokens where user_id = $1';
  expect(await query(database, left, [id])).toEqual([]);
  const tries = await query<{ kind: string }>(database, `select split_part(key, ':', 1) as kind from login_limits`);
  expect(tries).toEqual([{ kind: 'address' }]);
  const subject = `user:${id}`;
  expect((await acts()).slice(before)).toEqual(
    [harbour, market].map((organization_id) => ({ organization_id, actor: 'cli', action: 'users.set-password', subject })),
  );

  const { code, stdout } = await kanal('user', 'password', 'ada@example.com');
  expect([code, await isPassword('ada@example.com', stdout.trimEnd())]).toEqual([0, true]);
});

test('the lists are aligned, and no name steers the terminal', async () => {
  const [organizations, users] = await Promise.all([kanal('organization', 'list'), kanal('user', 'list')]);
  expect(organizations.stdout.replace(/\S{36}/g, '<id>').replace(/\d{4}-\S+Z/g, '<time>')).toBe(
    `id${' '.repeat(36)}${`
name            created               members  keys
<id>  Harbour Books   <time>  1        0
<id>  Market\ufffd[2J Tea  <time>  1        0
`.trimStart()}`,
  );
  expect(users.stdout).toMatch(
    /^id {36}email {12}name {2}created {15}organizations\n\S{36} {2}ada@example\.com {2}ada {3}\S+Z {2}2\n$/,
  );
});

test.each([
  [['user', 'create', 'bo@example.com', '--role', 'agent'], /^--role is one in an organization: name it too\n$/],
  [['user', 'create', 'bo@example.com', '--organization', '01932d5f-3a0e-7cc4-8f4e-0242ac120001'], /^Organization not found\n$/],
  [['user', 'create', 'bo@example.com', '--password-stdin'], /^password must have 12 to 128 characters\n$/],
  [['user', 'password', 'bo@example.com'], /^User not found\n$/],
])('%j says in one line what is wrong, exits 1 and makes nobody', async (args, line) => {
  expect(await kanal(...args)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(line) });
  expect(await findByEmail(database.em(), 'bo@example.com')).toBeUndefined();
});

test('a password of two lines is not taken for one', async () => {
  expect(await withInput('correct horse\nbattery staple\n')('user', 'create', 'bo@example.com', '--password-stdin')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'The password on standard input must be one line\n',
  });
});
