import type { Own } from '../platform/database/own.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';

/** Longer than a transaction may take that had found the endpoint before it was deleted. */
const lateMs = 60_000;

/** SQL: by the database's clock. */
const lateStatement = `
  select greatest(0, ${lateMs} - extract(epoch from clock_timestamp() - deleted_at) * 1000)::float8 as ms
    from webhook_endpoints
   where organization_id = $1 and id = $2 and deleted_at is not null`;

/** Milliseconds in which deliveries of a deleted endpoint may still appear. Undefined: it is not deleted, or its row is gone. */
export async function lateMsOf(own: Own, id: string): Promise<number | undefined> {
  const [row] = await own.sql<{ ms: number }>(lateStatement, [id]);
  return row?.ms;
}

/** SQL: two tables. An endpoint stays while a transaction may refer to it, and while deliveries show it (retention). */
export async function removeUnused(tx: OwnTx, id: string) {
  await tx.sql(
    `with removed as (
       delete from webhook_endpoints e
        where e.organization_id = $1 and e.id = $2
          and e.deleted_at <= clock_timestamp() - ${lateMs} * interval '1 ms'
          and not exists (
            select 1 from webhook_deliveries d
             where d.organization_id = $1 and d.endpoint_id = $2)
       returning e.organization_id, e.id)
     delete from pools p
      using removed r
      where p.organization_id = r.organization_id and p.id in ('endpoint:' || r.id, 'endpoint:' || r.id || ':drain')`,
    [id],
  );
}
