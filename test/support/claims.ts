import type { Em } from '../../src/platform/database/database.ts';
import { query } from '../../src/platform/database/query.ts';

/**
 * When the pace let each run of a pool go, in ms by the database's clock: a busy machine brings the answers late and unevenly. A claim
 * moves `pools.tat` on to the next one's time; each of these is noted.
 */
export async function watchClaims(em: Em): Promise<(pool: string) => Promise<number[]>> {
  await query(em, 'create table seen_claims (pool text, next_at timestamptz, rate float8)');
  await query(
    em,
    `create function see_claim() returns trigger language plpgsql as
     $$ begin insert into seen_claims values (new.id, new.tat, new.rate); return new; end $$`,
  );
  await query(
    em,
    `create trigger see_claim after update of tat on pools for each row
     when (new.tat is distinct from old.tat and new.rate is not null) execute function see_claim()`,
  );
  return async (pool) => {
    const rows = await query<{ at: number }>(
      em,
      `select extract(epoch from next_at - interval '1 s' / (rate * 0.95))::float8 * 1000 as at from seen_claims where pool = $1 order by 1`,
      [pool],
    );
    return rows.map(({ at }) => at);
  };
}
