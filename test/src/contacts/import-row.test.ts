import { expect, test } from '@jest/globals';
import { readHeader } from '../../../src/contacts/import/header.ts';
import { rowReader } from '../../../src/contacts/import/row.ts';
import type { RowError } from '../../../src/platform/imports/progress.ts';

const wide = Array.from({ length: 499 }, (_, n) => `custom_fields.k${n}`);

function errorsOf(header: string[], cells: string[]): RowError[] {
  const entry = rowReader(readHeader(header, 1))(cells, 2);
  return 'errors' in entry ? entry.errors : [];
}

test('a file has 500 columns at most, and each of them once', () => {
  expect(readHeader(['email', ...wide], 1)).toHaveLength(500);
  expect(() => readHeader(['email', 'name', ...wide], 1)).toThrow('The first line has 501 columns; a file has at most 500');
  expect(() => readHeader(['email', ...wide.slice(1), wide[1]!], 1)).toThrow('custom_fields.k1 stands there twice');
});

test('custom fields far larger than they may be are not read as JSON', () => {
  const blanks = `[${' '.repeat(70_000)}1]`;
  const [error, ...others] = errorsOf(['email', 'custom_fields.a'], ['a@example.com', blanks]);
  expect(error).toMatchObject({ column: 'custom_fields', code: 'custom.size' });
  expect(others).toEqual([]);
});

test('a cell of blanks and JSON that is small without them is read', () => {
  expect(errorsOf(['email', 'custom_fields.a'], ['a@example.com', `[${' '.repeat(60_000)}1]`])).toEqual([]);
});

test('a cell of tags far longer than they may be is not taken apart', () => {
  expect(errorsOf(['email', 'tags'], ['a@example.com', 'a;'.repeat(500_000)])).toEqual([
    { column: 'tags', code: 'tags', message: 'tags must not be longer than 25600 characters' },
  ]);
});

test('a row reports twenty of its errors', () => {
  const cells = ['a@example.com', ...wide.map(() => '"\\u0000"')];
  expect(errorsOf(['email', ...wide], cells)).toHaveLength(20);
});
