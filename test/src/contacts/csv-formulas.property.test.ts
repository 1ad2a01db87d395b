import { expect, test } from '@jest/globals';
import { csvRows } from '../../../src/contacts/export/csv.ts';
import { neutralised, restored } from '../../../src/platform/csv/formulas.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { fc, numRuns } from '../../support/fast-check.ts';

const cell = fc
  .array(
    fc.constantFrom(
      '=',
      '+',
      '-',
      '@',
      '\t',
      '\r',
      '\n',
      ';',
      ',',
      "'",
      '"',
      ' ',
      'a',
      '1',
      '\uff1d',
      '\u200b',
      '\u00a0',
      '\u0000',
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(''));
const at = '2026-11-21T10:00:00.000Z';

test('what was made harmless comes back as it was', () => {
  fc.assert(
    fc.property(cell, (text) => {
      expect(restored(neutralised(text))).toBe(text);
    }),
    { numRuns: numRuns({ default: 300, deep: 2_000 }) },
  );
});

test.each([
  '=1',
  'a;=1',
  ';=1',
  'a\t=1',
  'a\n=1',
  'a\r\n@x',
  'a;"=1"',
  `a;"'-1`,
  'x;-1;+2',
  ' =1',
  '\u00a0=1',
  '\u200b=1',
  '\ufeff=1',
  '\u2066@x',
  '\u0000=1',
  ' \u200b "=1',
  '\uff1d1',
  '\uff0b1',
  '\uff0d1',
  '\uff201',
  '\ufe66x',
  '\u22121',
  'a; \uff1dx',
])('%j is made harmless', (text) => {
  expect(neutralised(text)).not.toBe(text);
  expect(restored(neutralised(text))).toBe(text);
});

test.each(['a=1', 'a-b', 'a; b', "it's", 'a;b', '', ' ', '\u200b', '\u5c71\u7530 \u592a\u90ce', 'a\uff1d1'])(
  '%j needs nothing',
  (text) => {
    expect(neutralised(text)).toBe(text);
  },
);

/** Split by whatever a spreadsheet may take for the end of a cell; it heeds quotes only at the beginning of one. */
test('no cell of a file begins as a formula, whether commas, semicolons or tabs part them', () => {
  fc.assert(
    fc.property(cell, cell, cell, (name, tag, note) => {
      const contact = {
        id: uuidv7(),
        phone_number: '+16505551234',
        name,
        email: '',
        external_source: '',
        external_id: '',
        custom_fields: { note },
        tags: [tag],
        created_at: at,
        updated_at: at,
      };
      const cells = csvRows([contact], ['note']).split(/[;\t\r\n]/);
      for (const begun of cells) expect(begun.replace(/^"+/, '')).not.toMatch(/^[=+\-@]/);
    }),
    { numRuns: numRuns({ default: 300, deep: 2_000 }) },
  );
});

test('each character is read once, whatever a cell repeats', () => {
  for (const unit of ["'", ' ', '\u200b', '"', ";'", '\t ', '\n']) {
    const text = unit.repeat(200_000);
    expect(restored(neutralised(text))).toBe(text);
  }
});
