import type { Own } from '../platform/database/own.ts';

export type UnknownWindow = { has_passed: boolean; left_ms: number };

/** The time for a late status is over only if a web process ran all through it and every webhook received in it is applied. */
export async function unknownWindow(own: Own, messageId: string, windowMs: number): Promise<UnknownWindow> {
  // SQL: compares four tables at one moment of the database's clock.
  const [row] = await own.sql<UnknownWindow>(
    `select clock_timestamp() >= w.ends
            and exists (
              select 1 from heartbeats h
               where h.process = 'web' and h.seen_at >= greatest(m.sending_at, h.since) + $3 * interval '1 ms')
            and not exists (
              select 1 from provider_webhooks p
               where p.organization_id = m.organization_id and p.state = 'received' and p.received_at <= w.ends
            ) as has_passed,
            greatest(0, extract(epoch from w.ends - clock_timestamp()) * 1000)::float8 as left_ms
       from messages m,
            lateral (select m.sending_at + $3 * interval '1 ms' as ends) w
      where m.organization_id = $1 and m.id = $2`,
    [messageId, windowMs],
  );
  return row ?? { has_passed: false, left_ms: 0 };
}
