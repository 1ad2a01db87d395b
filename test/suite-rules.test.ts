import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

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

test('at most a quarter of the test files are deep', () => {
  const all = globSync('**/*.test.ts', { cwd: root });
  expect(all.filter((path) => path.endsWith('.deep.test.ts')).length).toBeLessThanOrEqual(all.length / 4);
});

describe('each has a default test', () => {
  const product = join(root, '..');
  const declaring = (pattern: string, declaration: RegExp) =>
    globSync(pattern, { cwd: product }).filter((path) => declaration.test(readFileSync(join(product, path), 'utf8')));
  const hasTest = (path: string) => files.some((one) => one.startsWith(path.replace(/\.ts$/, '')));

  test('file of endpoints', () => {
    const defining = declaring('api/*/**/*.ts', /\bendpoint(<[\s\S]*?>)?\(\{/);
    expect(defining.length).toBeGreaterThan(50);
    expect(defining.filter((path) => !hasTest(path))).toEqual([]);
  });

  /** A handler whose test is not at its own path: what is tested is seen through the API, or beside another job. */
  const testedIn: Record<string, string> = {
    'workers/automation/cancel-runs.ts': 'workers/automation/many-runs.test.ts',
    'workers/automation/retry-runs.ts': 'workers/automation/many-runs.test.ts',
    'workers/connections/check-connection.ts': 'api/connections/check.test.ts',
    'workers/contacts/unblock-contact.ts': 'api/contacts/block.test.ts',
    'workers/crm/drop-field.ts': 'api/crm/object-fields.test.ts',
    'workers/crm/revalue-deals.ts': 'api/crm/deals-revalue.test.ts',
    'workers/messaging/send-later.ts': 'api/messaging/messages-schedule.test.ts',
    'workers/onboarding/exchange-token.ts': 'api/onboarding/steps.test.ts',
    'workers/onboarding/register-phone.ts': 'api/onboarding/steps.test.ts',
    'workers/onboarding/sync-assets.ts': 'api/onboarding/steps.test.ts',
    'workers/provider-webhooks/amend-message.ts': 'workers/provider-webhooks/amendments.test.ts',
    'workers/provider-webhooks/match-answer.ts': 'workers/provider-webhooks/flow-answers.test.ts',
    'workers/provider-webhooks/match-status.ts': 'workers/provider-webhooks/kept-statuses.test.ts',
    'workers/templates/delete-template.ts': 'api/templates/templates-change.test.ts',
    'workers/templates/sync-templates.ts': 'api/channels/channels-sync.test.ts',
  };

  test('handler of a job', () => {
    const handling = declaring('workers/**/*.ts', /\bhandle\(/).filter((path) => path !== 'workers/handler.ts');
    expect(handling.length).toBeGreaterThan(40);
    const without = handling.filter((path) => !hasTest(path));
    expect(without.sort()).toEqual(Object.keys(testedIn));
    expect(Object.values(testedIn).filter((path) => !files.includes(path))).toEqual([]);
  });

  test('domain of rules', () => {
    // People, revisions, imports and what operators do are seen through the endpoints and commands of others.
    const seenElsewhere = ['history', 'imports', 'operator', 'users'];
    const domains = globSync('src/*/', { cwd: product }).map((path) => path.split('/')[1]!);
    const without = domains.filter((domain) => !['src', 'api'].some((folder) => hasTest(`${folder}/${domain}/`)));
    expect(without.sort()).toEqual(seenElsewhere);
  });

  test('kind of pages', () => {
    const folders = globSync('api/pages/*/', { cwd: product });
    expect(folders.length).toBeGreaterThan(2);
    expect(folders.filter((folder) => !hasTest(folder))).toEqual([]);
  });
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
