import { now } from '../platform/database/columns.ts';
import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { channelPool } from '../platform/ledger/pools.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Channel } from './channel.entity.ts';
import { ChannelHealth } from './health.entity.ts';
import { emitChange } from './told.ts';

type Row = RowOf<
  typeof ChannelHealth,
  | 'token_state'
  | 'quality'
  | 'messaging_limit'
  | 'throughput'
  | 'verified_name'
  | 'name_status'
  | 'account_status'
  | 'is_subscribed'
  | 'problem'
  | 'last_inbound_at'
  | 'last_outbound_at'
  | 'checked_at'
  | 'next_check_at'
>;
export type Told = Partial<Row & RowOf<typeof ChannelHealth, 'account_told_at'>>;

/** A change of one of these is an event; the others change with each check, or with the channel's status. */
const toldAbout = ['quality', 'messaging_limit', 'throughput', 'verified_name', 'name_status', 'account_status'] as const;

/**
 * Stores what is new and tells of it once. Needs the channel's lock. Idempotent. The first word on something is told when it is `news`, what
 * a webhook reports; what a check reads first was so before.
 */
export async function recordHealth(
  own: OwnTx,
  channel: Pick<RowOf<typeof Channel, 'id' | 'status'>, 'id' | 'status'>,
  told: Told,
  { isNews = false } = {},
) {
  const where = { channel_id: channel.id };
  const known = await own.findOne(ChannelHealth, where);
  if (known) await own.update(ChannelHealth, where, { ...told, updated_at: now() });
  else await own.insert(ChannelHealth, { ...where, ...told });
  const changed = toldAbout.filter((field) => {
    const was = known?.[field] ?? '';
    return told[field] !== undefined && told[field] !== was && (isNews || (was !== '' && was !== 'unknown'));
  });
  if (changed.length === 0) return;
  emitChange(own, channel, changed, Object.fromEntries(changed.map((field) => [field, told[field]])));
}

/** Newest messages that are looked at: more of one direction may hide the last one of the other, which the last check then knows. */
const maxLooked = 2_000;
/** Counting stops there. */
export const maxWaiting = 10_000;

/** SQL: from the index of a channel's messages, newest first; a domain that this one does not know. */
const lastMessages = `
  select max(r.created_at) filter (where r.direction = 'inbound') as inbound_at,
         max(r.created_at) filter (where r.direction = 'outbound') as outbound_at
    from (select m.direction, m.created_at
            from messages m
           where m.organization_id = $1 and m.channel_id = $2
           order by m.created_at desc, m.id desc
           limit ${maxLooked}) r`;

export type LastMessages = { inbound_at: string | null; outbound_at: string | null };

export async function lastMessagesOf(own: Own, channelId: string): Promise<LastMessages> {
  const [row] = await own.sql<LastMessages>(lastMessages, [channelId]);
  return row!;
}

export type HealthRow = Row & RowOf<typeof Channel, 'id' | 'status' | 'rate'> & { waiting: number };

/** SQL: three tables, and counts with a bound. greatest() passes over null. */
const healthStatement = `
  select c.id, c.status, c.rate,
         coalesce(h.token_state, 'unknown') as token_state, coalesce(h.quality, 'unknown') as quality,
         coalesce(h.messaging_limit, '') as messaging_limit, coalesce(h.throughput, '') as throughput,
         coalesce(h.verified_name, '') as verified_name, coalesce(h.name_status, '') as name_status,
         coalesce(h.account_status, '') as account_status, h.is_subscribed, coalesce(h.problem, '') as problem,
         greatest(h.last_inbound_at, l.inbound_at) as last_inbound_at,
         greatest(h.last_outbound_at, l.outbound_at) as last_outbound_at,
         h.checked_at, h.next_check_at,
         (select count(*)::int
            from (select 1
                    from jobs j
                   where j.organization_id = $1 and j.pool = $3 and j.state = 'waiting'
                   limit ${maxWaiting}) w) as waiting
    from channels c
    left join channel_health h on h.organization_id = c.organization_id and h.channel_id = c.id,
         lateral (${lastMessages}) l
   where c.organization_id = $1 and c.id = $2 and c.deleted_at is null`;

/** Throws 404. */
export async function readHealth(own: Own, channelId: string): Promise<HealthRow> {
  const [row] = await own.sql<HealthRow>(healthStatement, [channelId, channelPool(channelId)]);
  if (!row) throw notFound('Channel');
  return row;
}
