import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { configTables } from '../../cli/config.ts';
import { root } from './command.ts';
import { inProcess } from './in-process.ts';

test('config lists every variable with default and description, and needs none of them', async () => {
  const { code, stdout } = await inProcess(['config']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^SECRET_KEY +required +Key that seals secrets/m);
  expect(stdout).toMatch(/^PORT +3000 +Port of the web process/m);
  expect(stdout).toMatch(/^KANAL_HOME +\.kanal +Directory/m);
});

test('the tables of the README are those of the code: npx node cli/main.ts config --markdown', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  for (const table of configTables()) expect(readme).toContain(`\n${table}\n\n`);
});

test('a command of the on-call asks for the connections alone', async () => {
  const result = await inProcess(['jobs', 'check'], { QUEUE_URL: 'mailto:secret' });
  expect(result).toMatchObject({ code: 1, stdout: '' });
  expect(result.stderr.match(/^ {2}- \w+/gm)).toEqual(['  - DATABASE_URL', '  - QUEUE_URL']);
});

test('openapi prints the document', async () => {
  const { code, stdout } = await inProcess(['openapi']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ openapi: '3.1.0', info: { title: 'Kanal' } });
});
