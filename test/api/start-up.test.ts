import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase } from '../support/database.ts';
import { spawnNode } from '../support/processes.ts';
import { testHashKey, testSecretKey } from '../support/secrets.ts';
import { freePort } from '../support/servers/child.ts';

const root = join(import.meta.dirname, '../..');
let loaded: string[];
let builtins: string[];
let drop: () => Promise<void>;

beforeAll(async () => {
  const created = await createTestDatabase();
  drop = created.drop;
  const port = await freePort();
  const web = await spawnNode(
    ['--import', './test/support/children/loaded-modules.ts', 'api/main.ts'],
    {
      DATABASE_URL: created.url,
      SECRET_KEY: testSecretKey,
      HASH_KEY: testHashKey,
      HOST: '127.0.0.1',
      PORT: String(port),
      // With all that a start can bring.
      OPERATOR_PASSWORD: 'operator-password',
      METRICS_TOKEN: 'token-of-metrics',
      MAIL_URL: 'smtp://127.0.0.1:1',
      ALLOWED_ORIGINS: 'https://app.example.com',
    },
    'listening',
  );
  const line = JSON.parse(await web.says('"msg":"loaded"')) as { files: string[]; builtins: string[] };
  loaded = line.files.filter((url) => url.startsWith('file:')).map((url) => relative(root, fileURLToPath(url)));
  builtins = line.builtins;
  await web.end('SIGTERM');
});
afterAll(() => drop());

const of = (place: string) => loaded.filter((file) => file.startsWith(place));

test('there is something to look at', () => {
  expect(loaded).toEqual(expect.arrayContaining(['api/start.ts', 'api/messaging/messages.ts', 'src/orm.ts']));
  expect(of('node_modules/bullmq/')).not.toEqual([]);
});

/** Each is loaded at its first use; a start that needs one again takes longer for every process and for every request after a roll-out. */
const later: [name: string, why: string][] = [
  ['@bull-board', 'for the operator: api/operations/bull-board.ts'],
  ['@mikro-orm/core', 'bundled: src/platform/process/bundled-packages.ts'],
  ['@mikro-orm/postgresql', 'bundled'],
  ['@mikro-orm/sql', 'bundled'],
  ['kysely', 'bundled'],
  ['@mikro-orm/migrations', 'what is pending is one statement: src/platform/migrations/pending.ts'],
  ['celebrate', 'with the first request that is validated: api/http/route.ts'],
  ['csv-parse', 'an import runs in a worker'],
  ['csv-stringify', "an export's: api/contacts/exports.ts"],
  ['ejs', "Bull Board's"],
  ['got', "the provider's: src/providers/lazily.ts"],
  ['helmet', 'of pages: api/app.ts'],
  ['libphonenumber-js', 'with the first number: src/contacts/identities/phone.ts'],
  ['lodash', "Bull Board's"],
  ['nodemailer', 'a worker sends the mails: src/providers/lazily.ts'],
  ['prosemirror-model', 'with the first rich text: src/tasks/rich-text/rich-text.ts'],
  ['swagger-ui-dist', 'of /docs: api/app.ts'],
  ['undici', 'a worker delivers the webhooks'],
];
test.each(later)('a web process is ready without %s: %s', (name) => {
  expect(of(`node_modules/${name}/`)).toEqual([]);
});

test.each([
  'api/pages/',
  'api/index.ts',
  'api/contacts/',
  'api/webhooks/',
  'api/organizations/',
  'api/openapi.ts',
  'api/http/openapi/',
  'src/platform/migrations/2',
  'src/migrations.ts',
  'workers/',
])('nor does it load %s', (place) => {
  // Names of paths, which Bull Board's guard shares with the pages.
  expect(of(place).filter((file) => file !== 'api/pages/paths.ts')).toEqual([]);
});

test("Node's own fetch is not loaded: api/http/node-http.ts", () => {
  expect(builtins.filter((name) => name.includes('deps/undici/undici'))).toEqual([]);
});

test('the number of files stays about what it is', () => {
  expect(loaded.length).toBeLessThan(1_130);
});
