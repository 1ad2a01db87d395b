import { AppError } from '../errors.ts';
import { isMoment } from '../time/moment.ts';
import type { Bind } from './bind.ts';
import type { Position } from './keyset.ts';
import type { SortKey, ValueSort } from './sort.ts';
import type { Typed } from './typed.ts';

/** `part`: of the list that a statement reads, records with a value or those without; none: all, in no order. */
export type ValueOrder = ValueSort & { part?: 'with' | 'without' };

const casts: Record<string, string> = { number_value: 'numeric', time_value: 'timestamptz', text_value: 'text' };

const idKey = (sql: string, isDescending: boolean): SortKey => ({ name: 'id', sql, type: 'id', isFolded: false, isDescending });

/** Both columns of the index of values, so that it is the order. */
export const keysOfValue = ({ column, isDescending }: ValueSort): SortKey[] => [
  { name: 'sort_value', sql: `s.${column}`, type: 'value', isFolded: false, isDescending, cast: casts[column]! },
  idKey('s.record_id', isDescending),
];
export const keysWithout = ({ isDescending }: ValueSort): SortKey[] => [idKey('k.id', isDescending)];

/** Throws 400 for a made-up cursor: the database cannot read any text as a number or a time. */
export function assertValue({ column }: ValueSort, [value = '']: Position): void {
  const given = value.slice(1);
  const isRead =
    column === 'number_value' ? /^-?\d{1,400}(\.\d{1,400})?$/.test(given) : column === 'text_value' || isMoment(given);
  if (value !== '' && !isRead) throw new AppError('bad_request', 'The cursor is not valid for this list');
}

/** What a position has of the row: its value after `=`, nothing without one. */
export const shownValue = ({ part }: ValueOrder, sql: string) =>
  part === 'with' ? `, '=' || ${sql}::text as sort_value` : `, '' as sort_value`;

/** `from`: records with a value are joined to it. Without `from` the condition compares record by record. */
export function valueOrderSql(
  { values }: Typed,
  { field, column, part }: ValueOrder,
  bind: Bind,
): { from?: string; condition: string } {
  const row = `s.organization_id = k.organization_id and s.record_id = k.id and s.field_id = ${bind(field.id)}::uuid
       and s.${column} is not null`;
  if (part === 'with') return { from: `${values} s`, condition: row };
  return { condition: `not exists (select 1 from ${values} s where ${row})` };
}

type Page = { limit: number; after?: Position };
type Rows<Row> = { rows: Row[]; end?: Position };

/** Records with a value first, by it; then those without one. `read` reads a page of one part. */
export async function readBothParts<Row>(
  { limit, after }: Page,
  read: (part: 'with' | 'without', page: Page) => Promise<Rows<Row>>,
): Promise<Rows<Row>> {
  const isBeyond = after?.[0] === '';
  const first = isBeyond ? { rows: [] } : await read('with', { limit, after });
  if (first.rows.length > limit || first.end) return first;
  const page = { limit: limit - first.rows.length, after: isBeyond ? [after![1]!] : undefined };
  const { rows, end } = await read('without', page);
  return { rows: [...first.rows, ...rows], end: end && ['', ...end] };
}
