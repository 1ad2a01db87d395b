import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAuthenticate } from '../../src/accounts/authenticate.ts';
import { openDatabase } from '../../src/open-database.ts';
import { scopes } from '../../src/organizations/scopes.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { createTestDatabase } from '../support/database.ts';
import { collectingLog } from '../support/log.ts';
import { auditRows } from '../support/work/events.ts';
import { inProcessOn } from './in-process.ts';

let drop: () => Promise<void>;
let database: Database;
let kanal: ReturnType<typeof inProcessOn>;

beforeAll(async () => {
  const created = await createTestDatabase();
  drop = created.drop;
  kanal = inProcessOn(created.url);
  database = await openDatabase({ url: created.url, poolMax: 2, applicationName: 'test', log: collectingLog().log });
});
afterAll(async () => {
  await database.close();
  await drop();
});

test('a new organization gets a key that opens the API with every scope', async () => {
  const organization = await kanal('organization', 'create', 'Harbour Books');
  expect(organization).toMatchObject({ code: 0, stderr: '' });
  const organizationId = organization.stdout.trim();

  const key = await kanal('key', 'create', organizationId, '--name', 'till');
  expect(key).toMatchObject({ code: 0, stderr: 'The key has every scope; --scopes grants fewer.\n' });
  const caller = await createAuthenticate(database).key(key.stdout.trim());
  expect(caller).toMatchObject({ organizationId, scopes: new Set(scopes) });
  expect(
    await auditRows.all(database, { organization_id: organizationId }, ['actor', 'action', 'subject'], { id: 'asc' }),
  ).toEqual([
    { actor: 'cli', action: 'organizations.create', subject: `organization:${organizationId}` },
    { actor: 'cli', action: 'api-keys.create', subject: `api_key:${caller!.id}` },
  ]);
});

test('a key can have some scopes only', async () => {
  const { stdout } = await kanal('organization', 'create', 'Harbour Tea');
  const key = await kanal('key', 'create', stdout.trim(), '--scopes', 'messages:read, messages:write');
  expect(key.stderr).toBe('');
  const caller = await createAuthenticate(database).key(key.stdout.trim());
  expect(caller?.scopes).toEqual(new Set(['messages:read', 'messages:write']));
});

test('a key is listed by its beginning, revoked by its id, and refused from then on', async () => {
  const organizationId = (await kanal('organization', 'create', 'Harbour Coffee')).stdout.trim();
  const key = (await kanal('key', 'create', organizationId, '--name', 'till', '--expires-in-days', '2')).stdout.trim();
  const { id, expiresAt } = (await createAuthenticate(database).key(key))!;
  expect(Math.round((expiresAt!.getTime() - Date.now()) / 86_400_000)).toBe(2);

  expect((await kanal('key', 'revoke', id)).stdout).toBe(`Key ${id} is revoked: no process takes it after 5 seconds\n`);
  expect(await createAuthenticate(database).key(key)).toBeUndefined();
  expect((await kanal('key', 'revoke', id)).stdout).toBe(`Key ${id} was revoked before: nothing to do\n`);
  const revokes = await auditRows.all(database, { action: 'api-keys.delete' }, ['actor', 'subject']);
  expect(revokes).toEqual([{ actor: 'cli', subject: `api_key:${id}` }]);

  const { stdout } = await kanal('key', 'list', organizationId);
  expect(stdout.split('\n')[1]).toMatch(new RegExp(`^${id}  ${key.slice(0, 8)}  till  \\S+Z +\\S+Z +\\S+Z +all$`));
  expect(stdout).not.toContain(key);
});

test.each([
  [['organization', 'create', ' '], /^The name is empty\n$/],
  [['key', 'revoke', '01932d5f-3a0e-7cc4-8f4e-0242ac120001'], /^API key not found\n$/],
  [['key', 'create', 'nobody'], /^"nobody" is not the id of an organization\n$/],
  [['key', 'create', '01932d5f-3a0e-7cc4-8f4e-0242ac120001'], /^Organization not found\n$/],
  [
    ['key', 'create', '01932d5f-3a0e-7cc4-8f4e-0242ac120001', '--scopes', 'messages:red'],
    /^Not a scope: messages:red\. There are: .*\n$/,
  ],
])('%j says in one line what is wrong and exits 1', async (args, line) => {
  expect(await kanal(...args)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(line) });
});
