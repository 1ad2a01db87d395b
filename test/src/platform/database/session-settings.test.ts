import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../../../src/open-database.ts';
import { readConfig } from '../../../../src/platform/config/config.ts';
import type { Database } from '../../../../src/platform/database/database.ts';
import { checkConnections } from '../../../../src/platform/database/open.ts';
import { requestBoundsOf } from '../../../../src/platform/database/request-bounds.ts';
import { sessionSettingsOf } from '../../../../src/platform/database/session-settings.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { collectingLog } from '../../../support/log.ts';
import { testHashKey, testSecretKey } from '../../../support/secrets.ts';

let made: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
const config = readConfig({ DATABASE_URL: 'postgresql://a/b', SECRET_KEY: testSecretKey, HASH_KEY: testHashKey });
const bounds = requestBoundsOf(config);
beforeAll(async () => {
  made = await createTestDatabase();
  database = await openDatabase({ url: made.url, poolMax: 2, applicationName: 'test', log: collectingLog().log, bounds });
});
afterAll(async () => {
  await database.close();
  await made.drop();
});

test('a session has the settings it was opened with, and nothing is said', async () => {
  const { log, lines } = collectingLog();
  await checkConnections(database, 0, 2, log);
  expect(lines).toEqual([]);
});

test('a start says which settings a pooler has dropped', async () => {
  const { log, lines } = collectingLog();
  const behindPooler = { ...database, sessionSettings: { ...database.sessionSettings, lock_timeout: 7 } };
  await checkConnections(behindPooler, 0, 2, log);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ level: 40, lost: ['lock_timeout = 7'] });
});

test.each([
  ['kanal_web', sessionSettingsOf(bounds)],
  ['kanal_worker', sessionSettingsOf()],
])('docs/pgbouncer.ini sets at %s what a session is opened with', (entry, settings) => {
  const ini = readFileSync('docs/pgbouncer.ini', 'utf8');
  const [, text] = new RegExp(`^${entry} = .*connect_query='(.*)'$`, 'm').exec(ini)!;
  expect(text!.split('; ')).toEqual(Object.entries(settings).map(([name, value]) => `set ${name} = ${value}`));
});
