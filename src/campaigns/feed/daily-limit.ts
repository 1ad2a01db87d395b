import type { Own } from '../../platform/database/own.ts';

/** People a day, by what the provider calls the account's limit. What is not known here has none. */
const dailyLimits: Record<string, number> = {
  tier_50: 50,
  tier_250: 250,
  tier_1k: 1_000,
  tier_2k: 2_000,
  tier_10k: 10_000,
  tier_100k: 100_000,
};

export const dailyLimitOf = (messagingLimit: string): number | undefined => dailyLimits[messagingLimit.toLowerCase()];

/** Far from the limit a count is good for a while. */
const usualMs = 5_000;
const nearRest = 5_000;
const maxKnown = 1_000;
type Counted = { left: number; waitMs: number; at: number };
const known = new Map<string, Counted>();

/**
 * SQL: of all channels of the account, the newest first, and no further than the limit: it is full when there is a last one, until that is
 * a day old.
 */
const usedStatement = `
  select count(*)::int as used,
         (extract(epoch from min(u.queued_at) + interval '24 hours' - clock_timestamp()) * 1000)::float8 as oldest_ms
    from (
      select r.queued_at
        from channels c,
             lateral (
               select q.queued_at
                 from campaign_recipients q
                where q.organization_id = $1
                  and q.channel_id = c.id
                  and q.queued_at > clock_timestamp() - interval '24 hours'
                order by q.queued_at desc
                limit $3) r
       where c.organization_id = $1
         and c.account_id = $2
       order by r.queued_at desc
       limit $3) u`;

/** How many more people may be written to today, and how long to wait where it is nobody. */
export async function leftToday(own: Own, accountId: string, limit: number): Promise<Omit<Counted, 'at'>> {
  const key = `${own.organizationId} ${accountId} ${limit}`;
  const before = known.get(key);
  if (before && before.left > nearRest && performance.now() - before.at < usualMs) return before;
  const [row] = await own.sql<{ used: number; oldest_ms: number | null }>(usedStatement, [accountId, limit]);
  const counted = { left: Math.max(0, limit - row!.used), waitMs: Math.max(0, row!.oldest_ms ?? 0), at: performance.now() };
  if (known.size >= maxKnown) known.clear();
  known.set(key, counted);
  return counted;
}
