import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const root = import.meta.dirname;

/** What makes a test depend on the pace of a machine, and what to use instead. */
const rules: [string, RegExp, string][] = [
  [
    'sleeps',
    /\bsleep\(|\bsetTimeout\b[^;]*from 'node:timers\/promises'|new Promise\([^;]*\bsetTimeout\(/,
    'wait for an event: waitFor, app.idle, app.settled, turns',
  ],
  ['reads the steady clock', /\bperformance\.now\(\)/, 'count steps, or move the clock: test/support/later.ts, fake-timers.ts'],
  [
    'measures a duration',
    /\bDate\.now\(\) - (?:started|began|before|since|at)/,
    'compare stored times: test/support/database-time.ts',
  ],
  ['measures processor time', /\bbestOf3\(|\bprocess\.(?:threadCpuUsage|cpuUsage)\(/, 'count steps: test/support/clock-reads.ts'],
];

/** Paths of files that may, each with its reason. */
const exceptions: Record<string, string> = {};

const isDefault = (path: string) => !path.endsWith('.deep.test.ts') && path !== 'suite-rules.test.ts';
// Kills, outages and their pauses are the subject there.
const files = globSync('**/*.test.ts', { cwd: root }).filter((path) => isDefault(path) && !path.startsWith('crash/'));
const breaches = files.flatMap((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  return rules.flatMap(([name, pattern, instead]) => (pattern.test(text) ? [{ path, name, instead }] : []));
});

test('there are default tests to read', () => {
  expect(files.length).toBeGreaterThan(100);
});

test('a default test waits for no time and measures none: deep tests do', () => {
  expect(breaches.filter(({ path }) => !(path in exceptions))).toEqual([]);
});

test('each exception is needed', () => {
  expect(Object.keys(exceptions).filter((path) => !breaches.some((one) => one.path === path))).toEqual([]);
});

test.each([
  ['sleeps', "import { setTimeout as pause } from 'node:timers/promises';"],
  ['sleeps', 'await new Promise((resolve) => setTimeout(resolve, 50));'],
  ['reads the steady clock', 'const startedAt = performance.now();'],
  ['measures a duration', 'expect(Date.now() - startedAt).toBeLessThan(50);'],
  ['measures processor time', 'const spent = process.threadCpuUsage(before);'],
])('the rule "%s" finds: %s', (name, text) => {
  expect(rules.filter(([, pattern]) => pattern.test(text)).map(([one]) => one)).toEqual([name]);
});
