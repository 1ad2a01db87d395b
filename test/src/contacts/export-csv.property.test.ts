import { expect, test } from '@jest/globals';
import { csvHeader, csvRows, csvWithout } from '../../../src/contacts/export/csv.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { fc } from '../../support/fast-check.ts';

const ids = Array.from({ length: 5 }, uuidv7);
/** Of what a CSV file is made of, and what it is taken for. */
const cell = fc.array(fc.constantFrom('"', ',', '\r', '\n', '\r\n', "'", '=', 'é', '👩', '\ufeff', ...ids), { maxLength: 6 });
const texts = fc.tuple(cell, cell, cell).map((cells) => cells.map((parts) => parts.join('')));
const at = '2026-11-21T10:00:00.000Z';

test('without some contacts a file is what it would be had they never been there', () => {
  fc.assert(
    fc.property(fc.array(texts, { minLength: 5, maxLength: 5 }), fc.subarray(ids), fc.boolean(), (rows, removed, hasHeader) => {
      const contacts = rows.map(([name, note, tag], index) => ({
        id: ids[index]!,
        phone_number: '',
        name: name!,
        email: '',
        external_source: '',
        external_id: '',
        custom_fields: { 'a "b"': note },
        tags: [tag!],
        created_at: at,
        updated_at: at,
      }));
      const keys = ['a "b"'];
      const header = hasHeader ? csvHeader(keys) : '';
      const left = contacts.filter(({ id }) => !removed.includes(id));
      const { file, left: count } = csvWithout(Buffer.from(header + csvRows(contacts, keys)), removed);
      expect(file.toString()).toBe(header + csvRows(left, keys));
      expect(count).toBe(removed.length);
    }),
  );
});
