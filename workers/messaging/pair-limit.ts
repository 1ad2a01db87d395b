import type { Own } from '../../src/platform/database/own.ts';
import type { OwnTx } from '../../src/platform/ledger/tx.ts';
import type { ProviderBusy } from '../../src/providers/errors.ts';

/** One message in 6 s from a number to a person, once the person's burst is used up. */
const pairMs = 6_000;
const longestMs = 60_000;
/** Of the lane: what is behind them is spaced by the next refusal. */
const maxSpaced = 100;

/**
 * SQL: of the tries since the last one that was not refused for this. A burst may have borrowed from minutes to come, and each refused call is a
 * call: the wait doubles.
 */
const refusalsStatement = `
  select count(*)::int as refusals
    from message_attempts a
   where a.organization_id = $1 and a.message_id = $2 and a.provider_code = $3
     and a.number > coalesce((
           select max(o.number)
             from message_attempts o
            where o.organization_id = $1 and o.message_id = $2 and o.provider_code is distinct from $3), 0)`;

/** SQL: a set in the lane's order. Its head stays the head: the others are blocked, and only the time of their turn moves. */
const spaceStatement = `
  update jobs j
     set run_at = greatest(j.run_at, clock_timestamp() + ($3::float8 + b.place * ${pairMs}) * interval '1 ms')
    from (select o.id, row_number() over (order by o.seq) as place
            from jobs o
           where o.organization_id = $1 and o.lane = $2 and o.state = 'blocked'
           order by o.seq
           limit ${maxSpaced}) b
   where j.organization_id = $1 and j.id = b.id and j.state = 'blocked'`;

/** How long a message waits that was refused just now; that try is not recorded yet. */
export async function pairWaitMs(own: Own, messageId: string, { providerCode, retryAfterMs }: ProviderBusy): Promise<number> {
  const [row] = await own.sql<{ refusals: number }>(refusalsStatement, [messageId, providerCode]);
  return Math.max(retryAfterMs, Math.min(longestMs, retryAfterMs * 2 ** row!.refusals));
}

/**
 * The rest of the conversation is spaced as the provider takes it from one number to one person, so that a backlog costs a refusal and not
 * one a message. The lane's lock is held.
 */
export async function spaceLane(own: OwnTx, lane: string | null, waitMs: number) {
  if (lane) await own.sql(spaceStatement, [lane, waitMs]);
}
