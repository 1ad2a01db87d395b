import type { Own } from '../../platform/database/own.ts';

const tables: Record<string, string> = {
  contact: 'contacts where organization_id = $1 and id = $2',
  conversation: 'conversations where organization_id = $1 and id = $2',
  deal: 'deals where organization_id = $1 and id = $2 and deleted_at is null',
  task: 'crm_tasks where organization_id = $1 and id = $2 and deleted_at is null',
  record: 'records where organization_id = $1 and id = $2 and deleted_at is null',
};

/** SQL: one look by the key, into one of five tables. What is of no such type, an organization or an order, is taken to be there. */
export async function isSubjectThere(own: Pick<Own, 'sql'>, type: string, id: string): Promise<boolean> {
  const from = tables[type];
  return from === undefined || (await own.sql(`select 1 from ${from}`, [id])).length > 0;
}
