import type { Bind } from './bind.ts';
import type { Fields } from './fields.ts';

/**
 * Its alias in the statements is `k`; it has `organization_id`, which is `$1`. `where`: what all its records have in common, such as not to be in the bin.
 * `usual`: the field that its list goes by unless asked otherwise, with `id` an index; by default `created_at`.
 */
export type ListedTable = {
  name: string;
  fields: Fields;
  columns: string;
  where?: string | ((bind: Bind) => string);
  usual?: string;
};

export function commonSql({ where }: Pick<ListedTable, 'where'>, bind: Bind): string {
  if (!where) return '';
  return ` and ${typeof where === 'string' ? where : where(bind)}`;
}
