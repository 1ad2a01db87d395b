import type { Em } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';

/** For as long the provider repeats a body: an onboarding that nobody has touched since is given up. */
const repeatedDays = 7;

/**
 * Those of numbers without a channel whose account the provider reports already: their channel is made by the last step of an onboarding.
 * SQL: across organizations, of a table of a domain that this one does not know; a copy of it is on each node.
 */
export async function numbersToCome(em: Em, numbers: string[]): Promise<Set<string>> {
  if (numbers.length === 0) return new Set();
  const rows = await query<{ phone_number_id: string }>(
    em,
    `select phone_number_id
       from onboardings
      where phone_number_id = any($1) and current_step <> 'completed'
        and updated_at > statement_timestamp() - interval '${repeatedDays} days'
        and ('subscribe_webhook' = any(completed_steps) or (current_step = 'subscribe_webhook' and step_status = 'in_progress'))`,
    [numbers],
  );
  return new Set(rows.map((row) => row.phone_number_id));
}
