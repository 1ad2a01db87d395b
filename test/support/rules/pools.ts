import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';
import type { PoolRef } from '../../../src/platform/ledger/accept.ts';
import { Pool } from '../../../src/platform/ledger/jobs.entity.ts';
import { inMs } from './clock.ts';

type Change = {
  width?: number;
  rate?: number | null;
  /** Times in milliseconds from now; null: none. */
  tatInMs?: number | null;
  planInMs?: number | null;
  filledInMs?: number | null;
  heldInMs?: number | null;
};

const time = (ms: number | null) => (ms === null ? null : inMs(ms));

/** What claims, fills and holds have left in the pools: in all of them, where none is named. */
export const setPools = (em: Em, { width, rate, tatInMs, planInMs, filledInMs, heldInMs }: Change, pool?: PoolRef) =>
  em.nativeUpdate(Pool, pool ?? {}, {
    ...(width !== undefined && { width }),
    ...(rate !== undefined && { rate }),
    ...(tatInMs !== undefined && { tat: time(tatInMs) }),
    ...(planInMs !== undefined && { plan_at: time(planInMs) }),
    ...(filledInMs !== undefined && { filled_at: time(filledInMs) }),
    ...(heldInMs !== undefined && { held_until: time(heldInMs) }),
  });

/** Pools without work, in one statement: `<prefix>1` and so on. */
export const storePools = (
  em: Em,
  organizationId: string,
  { count, prefix, width = 1 }: { count: number; prefix: string; width?: number },
) =>
  query(
    em,
    `insert into pools (organization_id, id, width) select $1, $2 || number, $3 from generate_series(1, $4::int) number`,
    [organizationId, prefix, width, count],
  );

type PoolTimes = { tat: number; plan: number; tatAt: number };

/** The time of a pool's next claim and the end of its plan, in milliseconds from now; `tatAt` is in milliseconds of the epoch. */
export async function poolTimes(em: Em, id = 'toys'): Promise<PoolTimes> {
  const [row] = await query<PoolTimes>(
    em,
    `select (extract(epoch from tat - clock_timestamp()) * 1000)::float8 as tat,
            (extract(epoch from plan_at - clock_timestamp()) * 1000)::float8 as plan,
            (extract(epoch from tat) * 1000)::float8 as "tatAt"
       from pools
      where id = $1`,
    [id],
  );
  return row!;
}

export const storedPool = (em: Em, id = 'toys') => em.findOneOrFail(Pool, { id });
