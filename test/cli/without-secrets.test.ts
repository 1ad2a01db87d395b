import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase } from '../support/database.ts';
import { root } from './command.ts';
import { inProcessOn } from './in-process.ts';

let drop: () => Promise<void>;
let kanal: ReturnType<typeof inProcessOn>;
let organizationId: string;

beforeAll(async () => {
  const created = await createTestDatabase();
  drop = created.drop;
  kanal = inProcessOn(created.url);
  organizationId = (await kanal('organization', 'create', 'Harbour Books')).stdout.trim();
});
afterAll(() => drop());

/** What changes something else than the schema has a test of its own, in the same environment. */
const looks = [
  ['migrate'],
  ['config'],
  ['organization', 'list'],
  ['user', 'list'],
  ['key', 'list', ':organization'],
  ['jobs', 'check'],
  ['webhooks', 'endpoints'],
  ['onboarding', 'list'],
  ['operations', 'list', ':organization'],
];

test.each(looks.map((line) => [line.join(' '), line] as const))(
  '%s asks for the address of the database alone',
  async (_, line) => {
    const given = line.map((word) => (word === ':organization' ? organizationId : word));
    expect(await kanal(...given)).toMatchObject({ code: 0, stderr: '' });
  },
);

test('no command but start reads the whole configuration, which asks for secrets', () => {
  const files = globSync('cli/**/*.ts', { cwd: root });
  expect(files.filter((file) => /\breadConfig\(/.test(readFileSync(join(root, file), 'utf8')))).toEqual([
    'cli/start/bring-up.ts',
  ]);
});
