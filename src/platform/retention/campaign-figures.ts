/**
 * SQL: what a campaign's recipients come to, in one read of them. src/campaigns/ shows it; the purge keeps it in the place of the rows. `$1`: the
 * organization, `$2`: the campaign.
 */
export const countsOfRecipients = countsIn('$2');

export function countsIn(campaign: string): string {
  return `
  select coalesce(jsonb_object_agg(s.status, s.n), '{}')
    from (select status, count(*) as n
            from campaign_recipients
           where organization_id = $1
             and campaign_id = ${campaign}
           group by status) s`;
}

/** By one column each, and by variant and status. `g` says by which: a bit for each column that is not asked for, the last is `failed_hour`. */
export const figuresOfRecipients = `
  select coalesce(jsonb_agg(to_jsonb(f)), '[]')
    from (select grouping(r.status, r.reason, r.failure_code, r.variant_id, r.sent_hour, r.failed_hour) as g,
                 r.status, r.reason, r.failure_code, r.variant_id, r.sent_hour, r.failed_hour, count(*) as n,
                 count(r.replied_at) as replied, count(r.clicked_at) as clicked, count(r.opted_out_at) as opted_out
            from (select status, reason, failure_code, variant_id, replied_at, clicked_at, opted_out_at,
                         date_trunc('hour', sent_at, 'UTC') as sent_hour,
                         date_trunc('hour', failed_at, 'UTC') as failed_hour
                    from campaign_recipients
                   where organization_id = $1
                     and campaign_id = $2) r
           group by grouping sets ((r.reason), (r.failure_code), (r.variant_id, r.status), (r.sent_hour), (r.failed_hour))) f`;
