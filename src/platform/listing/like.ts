import type { Bind } from './bind.ts';

export const caseless = (sql: string) => `casefold(${sql} collate pg_unicode_fast)`;

/** Ignores case in any script and locale; the client's wildcards are plain characters. */
export function likeSql(sql: string, operator: string, value: string, bind: Bind): string {
  const plain = value.replace(/[\\%_]/g, '\\$&');
  const pattern = `${operator === 'starts_with' ? '' : '%'}${plain}${operator === 'ends_with' ? '' : '%'}`;
  return `${caseless(sql)} like ${caseless(`${bind(pattern)}::text`)}`;
}
