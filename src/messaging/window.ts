import type { Em } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';

export type UnknownWindow = { has_passed: boolean; left_ms: number };

/**
 * Whether a lost answer may still prove itself. The window is over only when web processes could have heard the provider all through it
 * (one has been there, without a gap, for its whole length since the send or since it started) and nothing heard by then is unapplied.
 */
export async function unknownWindow(em: Em, messageId: string, windowMs: number): Promise<UnknownWindow> {
  const [row] = await query<UnknownWindow>(
    em,
    `select clock_timestamp() >= w.ends
            and exists (select 1 from heartbeats h where h.process = 'web' and h.seen_at >= greatest(m.sending_at, h.since) + $2 * interval '1 ms')
            and not exists (select 1 from provider_webhooks p where p.organization_id = m.organization_id and p.state = 'received' and p.received_at <= w.ends) as has_passed,
            greatest(0, extract(epoch from w.ends - clock_timestamp()) * 1000)::float8 as left_ms
       from messages m, lateral (select m.sending_at + $2 * interval '1 ms' as ends) w where m.id = $1`,
    [messageId, windowMs],
  );
  return row ?? { has_passed: false, left_ms: 0 };
}
