import type { Channel } from '../../channels/channel.entity.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { stateIs } from '../../platform/ledger/states.ts';

/**
 * A channel of the campaign. `share`: what the campaign may have of one second of its rate; `unclaimed`: its messages that wait for their turn;
 * `later`: those that wait for another try,
 * `muchLater` of them for more than a minute.
 */
export type Room = RowOf<typeof Channel, 'id' | 'account_id' | 'status'> & {
  is_deleted: boolean;
  messaging_limit: string;
  share: number;
  /** Messages a second. */
  share_rate: number;
  unclaimed: number;
  later: number;
  muchLater: number;
};

/** On a slow channel a few messages that are tried again do not hold up all others. */
const leastLater = 20;
/** Of those who are tried in vain for minutes, at 1 % of a campaign, the others must not wait. */
const timesMuchLater = 10;
/** So many messages may still come to wait for another try: while the provider takes none, few others are written to. */
export function laterLeft({ share, later, muchLater }: Pick<Room, 'share' | 'later' | 'muchLater'>): number {
  const bound = Math.max(share, leastLater);
  return Math.max(0, Math.min(bound - (later - muchLater), timesMuchLater * bound - later));
}

/**
 * Two sets and a look at each channel. A message is unclaimed until a worker has claimed it: one that waits for another try was claimed. Both
 * are bounded, and so is the set. Who sleeps, as at night, takes no share from others.
 * SQL: counts of two sets and `lateral` for each channel, in one round trip for all of them (bench: feed).
 */
const roomsStatement = `
  with unclaimed as materialized (
    select r.channel_id,
           (count(*) filter (where x.is_first))::int as count,
           (count(*) filter (where not x.is_first))::int as later,
           (count(*) filter (where not x.is_first and j.run_at > clock_timestamp() + interval '1 min'))::int as much_later
      from campaign_recipients r
      join messages m on m.organization_id = r.organization_id and m.id = r.message_id
      join jobs j on j.organization_id = m.organization_id and j.subject_id = m.id and j.name = 'messages.send',
           lateral (select j.attempts = 0 and j.run_at <= clock_timestamp() + interval '1 s' as is_first) x
     where r.organization_id = $1
       and r.campaign_id = $2
       and r.status = 'queued'
       and (m.status = 'queued') is true
       and ${stateIs('j.state', 'blocked', 'waiting', 'queued')}
     group by r.channel_id),
  awake as materialized (
    select o.id
      from campaigns o
     where o.organization_id = $1
       and o.status = 'running'
       and (o.phase in ('sending', 'settling')) is true
       and o.id <> $2
       and exists (
         select 1
           from jobs j
          where j.organization_id = o.organization_id
            and j.subject_id = o.id
            and j.name = 'campaigns.feed'
            and ${stateIs('j.state', 'waiting', 'queued')}
            and j.run_at < clock_timestamp() + interval '5 s'))
  select c.id, c.account_id, c.status, c.deleted_at is not null as is_deleted, coalesce(h.messaging_limit, '') as messaging_limit,
         greatest(1, c.rate / n.sharers)::int as share, (c.rate::float8 / n.sharers) as share_rate, coalesce(u.count, 0) as unclaimed,
         coalesce(u.later, 0) as later, coalesce(u.much_later, 0) as "muchLater"
    from campaign_channels cc
    join channels c on c.organization_id = cc.organization_id and c.id = cc.channel_id
    left join channel_health h on h.organization_id = c.organization_id and h.channel_id = c.id
    left join unclaimed u on u.channel_id = c.id,
         lateral (
           select 1 + count(*)::int as sharers
             from awake a
             join campaign_channels ac on ac.organization_id = $1 and ac.campaign_id = a.id and ac.channel_id = c.id
            where exists (
              select 1
                from campaign_recipients r
               where r.organization_id = $1
                 and r.campaign_id = a.id
                 and r.channel_id = c.id
                 and r.status = 'pending')) n
   where cc.organization_id = $1
     and cc.campaign_id = $2
   order by cc.position`;

export const readRooms = (own: Own, campaignId: string): Promise<Room[]> => own.sql<Room>(roomsStatement, [campaignId]);
