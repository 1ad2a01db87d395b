import { stringify } from 'csv-stringify/sync';

// Any line break within a cell needs quotes, not only the record delimiter.
export const csvOf = (records: string[][]) => stringify(records, { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });
