import type { Own } from '../../platform/database/own.ts';

const tables: Record<string, string> = {
  contact: 'contacts',
  conversation: 'conversations',
  deal: 'deals',
  task: 'crm_tasks',
  record: 'records',
};
/** Those with a bin. */
const isShown = (table: string) => (table === 'contacts' || table === 'conversations' ? '' : 'and deleted_at is null');

/** SQL: one look by the key, into one of five tables. What is of no such type, an organization or an order, is taken to be there. */
export async function isSubjectThere(own: Pick<Own, 'sql'>, type: string, id: string): Promise<boolean> {
  const table = tables[type];
  if (!table) return true;
  const rows = await own.sql(
    `select 1
       from ${table}
      where organization_id = $1
        and id = $2 ${isShown(table)}`,
    [id],
  );
  return rows.length > 0;
}
