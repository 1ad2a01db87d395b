import { pageSize, readTables } from '../scale-reads.ts';
import type { FieldsScale } from './fields.ts';
import type { CrmScale } from './scale.ts';

const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
const whole = (count: number) => count.toLocaleString('en-US');

export function crmReport({ large, small, others, seconds, measured, fields }: CrmScale): string {
  return [
    `An organization with ${whole(large.rows)} deals, as many tasks and as many records with 10 indexed fields, one with ${whole(small.rows)} of each and ${whole(others)} others in one database, made in ${seconds.toFixed(0)} s; pages of ${pageSize}, one request at a time, in turns. The company has ${whole(large.companyContacts)} contacts, the small one's ${whole(small.companyContacts)}.`,
    '',
    ...readTables(measured, { small: small.rows, large: large.rows }),
    ...(fields ? fieldLines(fields, large.rows) : []),
  ].join('\n');
}

const fieldLines = ({ fields, changes, reads, longestReadMs }: FieldsScale, rows: number) => [
  '',
  `${fields} fields more, one after the other, at the type with ${whole(rows)} records and at one without any; a reader beside them read ${whole(reads)} times, never waited a millisecond for a lock, and took ${longestReadMs.toFixed(1)} ms at most.`,
  '',
  line(['field', 'empty type: p50 ms', `${whole(rows)} records: p50 ms`, 'ratio', 'aim', 'held']),
  line(Array(6).fill('---')),
  ...changes.map(({ name, full, empty }) =>
    line([
      name,
      empty.toFixed(2),
      full.toFixed(2),
      `**${(full / empty).toFixed(2)}**`,
      '≤ 1.5',
      full / empty <= 1.5 ? 'yes' : '**no**',
    ]),
  ),
];
