import { expect, test } from '@jest/globals';
import { receivedName, storableName } from '../../../src/media/file-name.ts';

test('a name that is cut keeps its ending', () => {
  expect(storableName(`${'n'.repeat(2_000)}.pdf`)).toBe(`${'n'.repeat(1_020)}.pdf`);
  expect(storableName('n'.repeat(2_000))).toBe('n'.repeat(1_024));
  expect(storableName(`a.${'n'.repeat(2_000)}`)).toHaveLength(1_024);
  expect(storableName(`${'👍'.repeat(600)}n.pdf`).isWellFormed()).toBe(true);
});

test.each([
  ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
  ['\u2066a\u2069.pdf', 'a.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['..\\..\\boot.ini', 'boot.ini'],
  ['/var/\u0000../a.pdf', 'a.pdf'],
  ['..\u202e/\u202eb.pdf', 'b.pdf'],
  ['a/..', ''],
  ['../', ''],
  ['C:\\Users\\a.pdf', 'a.pdf'],
  ['דוח-סופי.pdf', 'דוח-סופי.pdf'],
])('the name %j of a received file is stored as %j', (name, kept) => {
  expect(storableName(receivedName(name))).toBe(kept);
});

test('an uploaded name keeps its characters, and loses its path', () => {
  expect(storableName('invoice\u202Efdp.exe')).toBe('invoice\u202Efdp.exe');
  expect(storableName('../../invoice.pdf')).toBe('invoice.pdf');
});
