import { AppError } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { sha256 } from '../secrets.ts';
import { isMoment } from '../time/moment.ts';
import type { Bind, ColumnType } from './fields.ts';
import type { SortKey } from './sort.ts';

/** The values of a row's sort keys, the id last, as the database writes them: where a page ends and the next one begins. */
export type Position = string[];

/** What a cursor is for: the same list in another order or with other filters has other cursors. */
export const bindingOf = (parts: unknown) => sha256(JSON.stringify(parts)).toString('base64url').slice(0, 12);

export const positionOf = <Row extends object>(keys: SortKey[], row: Row): Position =>
  keys.map(({ name }) => String(row[name as keyof Row]));

export const cursorOf = (binding: string, position: Position) =>
  Buffer.from(JSON.stringify([binding, ...position])).toString('base64url');

const isOfType: Record<ColumnType, (text: string) => boolean> = {
  id: isUuid,
  time: isMoment,
  text: (text) => !text.includes('\u0000') && text.isWellFormed(),
};

/** Throws 400 for a cursor of another list, order or filters, and for one we never gave. */
export function positionIn(cursor: string, binding: string, keys: SortKey[]): Position {
  try {
    const [bound, ...position] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    const isOurs = keys.every(({ type }, index) => {
      const value = position[index];
      return typeof value === 'string' && isOfType[type](value);
    });
    if (bound === binding && position.length === keys.length && isOurs) return position as Position;
  } catch {
    // The one answer for every cursor that is not ours.
  }
  throw new AppError('bad_request', 'The cursor is not valid for this list');
}

const casts: Record<ColumnType, string> = { id: 'uuid', time: 'timestamptz', text: 'text' };

/** Rows after a position, in the order of the keys. */
export function beyondSql(keys: SortKey[], position: Position, bind: Bind): string {
  const values = keys.map(({ type, isFolded }, index) => {
    const value = `${bind(position[index])}::${casts[type]}`;
    return isFolded ? `fold(${value})` : value;
  });
  const [first] = keys as [SortKey];
  const beyond = ({ isDescending }: SortKey) => (isDescending ? '<' : '>');
  // One comparison of rows is what an index is entered by.
  if (keys.every(({ isDescending }) => isDescending === first.isDescending))
    return `(${keys.map(({ sql }) => sql).join(', ')}) ${beyond(first)} (${values.join(', ')})`;
  const nested = keys.reduceRight((rest, key, index) => {
    const further = `${key.sql} ${beyond(key)} ${values[index]}`;
    return rest ? `(${further} or (${key.sql} = ${values[index]} and ${rest}))` : further;
  }, '');
  return `${first.sql} ${beyond(first)}= ${values[0]} and ${nested}`;
}
