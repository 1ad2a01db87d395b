import { expect, test } from '@jest/globals';
import { jobs, knowJobs } from '../../../../src/jobs.ts';
import { allContracts, contractOf } from '../../../../src/platform/ledger/contracts.ts';
import { backoff } from '../../../../src/platform/ledger/job.ts';
import { operationStatus } from '../../../../src/platform/ledger/operations.ts';
import { queueNames } from '../../../../src/platform/ledger/queue-names.ts';

test('the waits between tries grow from 1 s to an hour, with up to a fifth more at random', () => {
  const steps = [1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 3_600_000];
  const delay = backoff(9);
  steps.forEach((step, index) => {
    const given = Array.from({ length: 200 }, () => delay(index + 1)!);
    expect(Math.min(...given)).toBeGreaterThanOrEqual(step);
    expect(Math.max(...given)).toBeLessThanOrEqual(step * 1.2);
    expect(new Set(given).size).toBeGreaterThan(10);
  });
});

test('the last try has no next', () => {
  expect(backoff(3)(2)).toBeDefined();
  expect(backoff(3)(3)).toBeUndefined();
  expect(backoff(3)(4)).toBeUndefined();
});

test('every kind of job is known by its own name and has a queue that exists', () => {
  knowJobs();
  expect(new Set(jobs.map(({ name }) => name)).size).toBe(jobs.length);
  for (const { name, queue } of jobs) {
    expect(contractOf(name)?.name).toBe(name);
    expect(queueNames).toContain(queue);
  }
  expect(allContracts()).toHaveLength(jobs.length);
  expect(contractOf('toys.gone')).toBeUndefined();
});

/** A reminder of before has no origin, a retry of many runs no scopes. */
const optional = ['origin', 'scopes'];

test('a payload holds its subject’s id, other ids, who asked, in which way, of which runs and until when at most, and nothing else', () => {
  for (const { payload, subject } of jobs) {
    const id = '01932d5f-3a0e-7cc4-8f4e-0242ac120002';
    const others: Record<string, string> = {
      actor: `user:${id}`,
      way: 'force',
      before: '2026-11-26T10:00:00.000Z',
      force: 'true',
      filter: '{"state":"failed"}',
      reason: 'asked',
      scopes: 'automation:write crm:write',
      origin: `{"by":"run:${id}","chain":["${id}"]}`,
    };
    const ids = Object.fromEntries(Object.keys(payload.describe().keys).map((key) => [key, others[key] ?? id]));
    expect(ids).toHaveProperty(subject);
    expect(payload.validate(ids).error).toBeUndefined();
    for (const key of Object.keys(ids)) {
      expect(payload.validate({ ...ids, [key]: '17' }).error).toBeDefined();
      if (!optional.includes(key)) expect(payload.validate({ ...ids, [key]: undefined }).error).toBeDefined();
    }
    expect(payload.validate({ ...ids, phone: '+1' }).error).toBeDefined();
  }
});

test.each([
  ['blocked', null, 'queued', null],
  ['waiting', null, 'queued', null],
  ['queued', null, 'queued', null],
  ['queued', '2026-01-01T00:00:00Z', 'running', null],
  ['paused', '2026-01-01T00:00:00Z', 'paused', null],
  ['done', '2026-01-01T00:00:00Z', 'succeeded', null],
  ['done', '2026-01-01T00:00:00Z', 'cancelled', { code: 'cancelled', message: '' }],
  ['failed', '2026-01-01T00:00:00Z', 'failed', null],
] as const)('an operation whose row is %s (started: %s) is %s (error: %j)', (state, started_at, status, error) => {
  expect(operationStatus({ state, started_at, error })).toBe(status);
});
