import type { Bind } from './bind.ts';
import { conditionSql } from './conditions.ts';
import type { Condition } from './filters.ts';
import { isIndexed } from './indexed.ts';
import { commonSql, type ListedTable } from './table.ts';
import { valuesSql } from './typed.ts';

/** Conditions of which one holds. An index answers the group only if it answers each of them. */
export type Group = Condition[];

export const isIndexedGroup = (group: Group): boolean => group.every(isIndexed);

/** `found`: by indexes, a few too many where `holds` is there too. Without `found` each record is compared. */
export type GroupSql = { found?: string; holds?: string };

/** SQL: the client's alternatives decide the statement. */
export function groupSql(table: Pick<ListedTable, 'name' | 'where'>, group: Group, bind: Bind): GroupSql {
  const anyOf = () => `(${group.map((condition) => conditionSql(condition, bind)).join(' or ')})`;
  if (!isIndexedGroup(group)) return { holds: anyOf() };
  const isOfValues = ({ field }: Condition) => field.typed?.isIndexed === true && !field.typed.hasAlikeOptions;
  // Of ordered indexes the planner makes one search of its own; of those of objects it does not.
  if (!group.some(({ field }) => field.typed || field.type === 'json')) return { found: anyOf() };
  const branches = group.map((condition) =>
    isOfValues(condition) ? valuesSql(condition.field.typed!, condition.operator, condition.values, bind) : rowsSql(condition),
  );
  const found = `k.id in (${branches.join(' union all ')})`;
  // Texts are folded and cut in the index. Not a plain condition: the planner would expect few records and sort them all.
  const isInexact = group.some((condition) => isOfValues(condition) && condition.field.typed!.type === 'text');
  return isInexact ? { found, holds: `case when ${anyOf()} then true else false end` } : { found };

  function rowsSql(condition: Condition): string {
    return `
      select k.id
        from ${table.name} k
       where k.organization_id = $1${commonSql(table, bind)} and ${conditionSql(condition, bind)}`;
  }
}
