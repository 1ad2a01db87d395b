import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from '../../cli/program.ts';
import { root } from './command.ts';

const leavesOf = (command: Command): string[][] =>
  command.commands.length === 0 ? [[]] : command.commands.flatMap((one) => leavesOf(one).map((rest) => [one.name(), ...rest]));

/** The function that starts a process of a command that runs until a signal ends it. */
const starters: Record<string, string> = { start: 'startIn(', 'webhooks listen': 'listening(' };

/** Whether a test runs a command: its words follow each other as texts. */
function isRunIn(text: string, words: string[]): boolean {
  const starter = starters[words.join(' ')];
  return starter ? text.includes(starter) : new RegExp(words.map((word) => `'${word}'`).join(',\\s*')).test(text);
}

test('each command has a test that is not deep', () => {
  const files = globSync(['test/cli/*.test.ts', 'test/src/platform/process/*.test.ts'], { cwd: root }).filter(
    (file) => !file.endsWith('.deep.test.ts'),
  );
  const texts = files.map((file) => readFileSync(join(root, file), 'utf8'));
  const commands = leavesOf(createProgram());
  expect(commands.length).toBeGreaterThan(25);
  const untested = commands.filter((words) => !texts.some((text) => isRunIn(text, words)));
  expect(untested.map((words) => words.join(' '))).toEqual([]);
});

test('a command without a test is found', () => {
  const text = `await kanal('jobs', 'retry', id); startIn(home); commandOn(url)('users')`;
  expect(isRunIn(text, ['jobs', 'retry'])).toBe(true);
  expect(isRunIn(text, ['jobs', 'check'])).toBe(false);
  expect(isRunIn(text, ['start'])).toBe(true);
  expect(isRunIn(text, ['webhooks', 'listen'])).toBe(false);
  expect(isRunIn(text, ['user'])).toBe(false);
});
