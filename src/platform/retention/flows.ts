import type { Em } from '../database/database.ts';
import { query } from '../database/query.ts';
import { type Batch, limitOfAge } from './purge.ts';

/** SQL: sets that skip locked rows until next time, as `deleteOldest` (purge.ts). The secret before a rotation, once its overlap is over. */
const eraseSecrets = `
  with erased as (
    update flow_secrets
       set previous_secret = null, previous_secret_until = null
     where ctid = any(array(
       select ctid from flow_secrets
        where previous_secret_until < ${limitOfAge}
        order by previous_secret_until
        limit $2
        for update skip locked))
    returning 1)
  select count(*)::int as count from erased`;

export async function oldFlowSecretsBatch(em: Em, days: number, limit: number): Promise<Batch> {
  const [row] = await query<{ count: number }>(em, eraseSecrets, [days, limit]);
  return { deleted: {}, isLast: row!.count < limit };
}
