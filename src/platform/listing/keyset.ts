import type { Bind } from './bind.ts';
import type { SortedType } from './fields.ts';
import type { SortKey } from './sort.ts';

export type Position = string[];

/** A missing time comes last. */
export const positionOf = <Row extends object>(keys: SortKey[], row: Row): Position =>
  keys.map(({ name }) => String(row[name as keyof Row] ?? 'infinity'));

const casts: Record<SortedType, string> = { id: 'uuid', time: 'timestamptz', text: 'text', number: 'numeric' };

export function beyondSql(keys: SortKey[], position: Position, bind: Bind): string {
  const values = keys.map(({ type, isFolded, cast }, index) => {
    const value = type === 'value' ? `${bind(position[index]!.slice(1))}::${cast}` : `${bind(position[index])}::${casts[type]}`;
    return isFolded ? `fold(${value})` : value;
  });
  const [first] = keys as [SortKey];
  const beyond = ({ isDescending }: SortKey) => (isDescending ? '<' : '>');
  // An index is entered by one comparison of rows.
  if (keys.every(({ isDescending }) => isDescending === first.isDescending))
    return `(${keys.map(({ sql }) => sql).join(', ')}) ${beyond(first)} (${values.join(', ')})`;
  const nested = keys.reduceRight((rest, key, index) => {
    const further = `${key.sql} ${beyond(key)} ${values[index]}`;
    return rest ? `(${further} or (${key.sql} = ${values[index]} and ${rest}))` : further;
  }, '');
  return `${first.sql} ${beyond(first)}= ${values[0]} and ${nested}`;
}
