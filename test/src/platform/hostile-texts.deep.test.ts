import { expect, test } from '@jest/globals';
import { marksIn, secretsIn } from '../../../src/automation/secret-marks.ts';
import { secretNamesIn } from '../../../src/automation/secret-names.ts';
import { toE164 } from '../../../src/contacts/identities/phone.ts';
import { contactFields } from '../../../src/contacts/list.ts';
import { storableName } from '../../../src/media/file-name.ts';
import { readCustomCell } from '../../../src/platform/csv/custom-cell.ts';
import { neutralised, restored } from '../../../src/platform/csv/formulas.ts';
import { readListCell } from '../../../src/platform/csv/list-cell.ts';
import { numberFault } from '../../../src/platform/kept-numbers.ts';
import { readFilters } from '../../../src/platform/listing/filters.ts';
import { parseJson } from '../../../src/platform/parse-json.ts';
import { processorMs } from '../../support/processor-time.ts';

const [cell, body] = [64 * 1024, 1024 * 1024];
const units = [
  'a',
  ';',
  '\\',
  '\\;',
  '"',
  "'",
  ' ',
  '\n',
  '\t',
  '=',
  '9',
  '1e9,',
  '{',
  '[',
  '{"a":',
  ',',
  '0',
  '.',
  '\u200b',
  '\ud83d',
  '../',
  '{{',
  'secrets.',
];

/** What a tenant writes, at the size up to which it is read. */
const readings: [name: string, size: number, read: (text: string) => unknown][] = [
  ['a list in a cell', cell, readListCell],
  ['a cell that is made harmless', cell, neutralised],
  ['a cell of an export', cell, restored],
  ['a custom field in a cell', cell, readCustomCell],
  ['a name of a file', cell, storableName],
  ['a phone', cell, (text) => [toE164(text), toE164(`${text}\n`)]],
  [
    'a phone in a filter',
    cell - 1_024,
    (text) => readFilters(contactFields, { filters: [{ field: 'phone_number', value: `${text}!` }] }, 'body'),
  ],
  ['secrets in a step', cell, (text) => [marksIn(`{{${text}`), secretsIn(text), secretNamesIn(text)]],
  ['numbers of a body', body, (text) => numberFault(Buffer.from(`[${text}]`))],
  ['a body with bounded values', body, (text) => parseJson(Buffer.from(`[${text}`), 20_000)],
];

test.each(readings)('%s takes less than 50 ms of processor time, whatever it repeats', async (_name, size, read) => {
  for (const unit of units) {
    const text = unit.repeat(Math.floor(size / unit.length));
    const times: number[] = [];
    for (let run = 0; run < 3; run += 1)
      times.push(
        (
          await processorMs(() => {
            try {
              read(text);
            } catch {
              /* Refused: that takes time, too. */
            }
          })
        ).own,
      );
    expect({ unit, isQuick: Math.min(...times) < 50 }).toEqual({ unit, isQuick: true });
  }
});
