import { join } from 'node:path';
import { expect, test } from '@jest/globals';

type Node = string | boolean | null | undefined | Node[];
const client = join(import.meta.dirname, '../../../../api/pages/console/client/operations.js');
const { progressOf } = (await import(client)) as { progressOf(operation: { progress: object | null }): Node };

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
