import { Gauge, type Registry } from 'prom-client';

/** As `campaignStatuses` in src/campaigns/states.ts. */
const statuses = ['draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled', 'failed'];
const maxCounted = 500_000;
/** Campaigns that stand still are few, unless everything does: then any of them tells. */
const maxStill = 100;

/** SQL (all of this file): counts and looks over all organizations. */
export const campaignsByStatus = `
  select status, count(*)::int as campaigns
    from (select status
            from campaigns
           where deleted_at is null
           limit ${maxCounted}) c
   group by status`;

/**
 * How long the campaign that stands still for the longest has had somebody who is due on a connected channel. It stands still when no message of
 * it is under way; those are told of as jobs. Not one whose feed waits for its time: for the morning, its pace, the account's next day.
 */
export const overdueCampaigns = `
  with still as materialized (
    select p.organization_id, p.id, p.zones, greatest(p.started_at, p.resumed_at, l.result_at) as since
      from campaigns p
      left join lateral (
             select r.result_at
               from campaign_recipients r
              where r.organization_id = p.organization_id
                and r.campaign_id = p.id
                and r.result_at is not null
              order by r.result_at desc
              limit 1) l on true
     where p.status = 'running'
       and p.phase = 'sending'
       and not exists (
             select 1
               from campaign_recipients r
              where r.organization_id = p.organization_id
                and r.campaign_id = p.id
                and r.status = 'queued')
       and not exists (
             select 1
               from jobs j
              where j.organization_id = p.organization_id
                and j.lane = 'campaign:' || p.id
                and j.state in ('waiting', 'queued')
                and j.run_at > statement_timestamp() + interval '1 min')
     limit ${maxStill})
  select coalesce(max(extract(epoch from statement_timestamp() - greatest(s.since, d.due_at))), 0)::float8 as oldest
    from still s
    join campaign_channels cc on cc.organization_id = s.organization_id and cc.campaign_id = s.id
    join channels c on c.organization_id = cc.organization_id and c.id = cc.channel_id and c.status = 'connected',
         unnest(s.zones) as z(zone),
         lateral (
           select r.due_at
             from campaign_recipients r
            where r.organization_id = s.organization_id
              and r.campaign_id = s.id
              and r.channel_id = c.id
              and r.zone = z.zone
              and r.status = 'pending'
              and r.due_at <= statement_timestamp()
            order by r.due_at
            limit 1) d`;

export type CampaignFigures = { campaigns: { status: string; campaigns: number }[]; overdueCampaigns: number };

export function campaignGauges(registry: Registry): { show(figures: CampaignFigures | undefined): void } {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const campaigns = gauge('kanal_campaigns', 'Campaigns by status', 'status');
  const overdue = gauge(
    'kanal_campaigns_oldest_overdue_seconds',
    'How long the running campaign that stands still for the longest has had somebody to write to on a connected channel; 0: none does. One that waits for its hours, its pace or a daily limit does not count',
  );
  return {
    show(figures) {
      campaigns.reset();
      overdue.remove();
      if (!figures) return;
      for (const status of statuses) campaigns.set({ status }, 0);
      for (const { status, campaigns: count } of figures.campaigns) campaigns.set({ status }, count);
      overdue.set(figures.overdueCampaigns);
    },
  };
}
