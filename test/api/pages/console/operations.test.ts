import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { scopeToControl } from '../../../../api/operations/control.ts';
import { jobs } from '../../../../src/jobs.ts';
import type { JobContract } from '../../../../src/platform/ledger/job.ts';

type Node = string | boolean | null | undefined | Node[];
const client = join(import.meta.dirname, '../../../../api/pages/console/client/operations.js');
const { progressOf } = (await import(client)) as { progressOf(operation: { progress: object | null }): Node };

const control = (await import(join(import.meta.dirname, '../../../../api/pages/console/client/operation-control.js'))) as {
  pausable: string[];
  callable: string[];
  scopeToControl(operation: { name: string; subject: { type: string } }): string;
};
const operations = (jobs as unknown as JobContract[]).filter(({ operation }) => operation);

test('the buttons of an operation are those that its job takes, and ask for the scope that the API asks for', () => {
  const names = (which: 'paused' | 'calledOff') => operations.filter((job) => job[which]).map(({ name }) => name);
  expect(control.pausable.toSorted()).toEqual(names('paused').toSorted());
  expect(control.callable.toSorted()).toEqual(names('calledOff').toSorted());
  for (const { name, subjectType } of operations)
    expect([name, control.scopeToControl({ name, subject: { type: subjectType } })]).toEqual([
      name,
      scopeToControl({ name, subject_type: subjectType }),
    ]);
});

const textOf = (node: Node): string => (Array.isArray(node) ? node.map(textOf).join('') : typeof node === 'string' ? node : '');
const shown = (progress: object | null) => textOf(progressOf({ progress })).trim();

test.each([
  ['nothing yet', null, '–'],
  ['an import', { rows: 1200 }, '1,200 done'],
  ['a change of many runs', { done: 5, left: 2 }, '5 done, 2 could not be'],
  ['what waited for a webhook endpoint', { deliveries: 1200, under_way: 3, after: '0198b2c3' }, '1,200 done'],
])('progress of %s', (_what, progress, text) => {
  expect(shown(progress)).toBe(text);
});
