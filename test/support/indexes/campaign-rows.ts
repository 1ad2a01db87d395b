/** A campaign with a tenth of the recipients, beside one with the others. */
export const campaignRows = (own: string, { otherId, channelId }: Record<'otherId' | 'channelId', string>): string[] => [
  `insert into campaigns (organization_id, id, name, created_at)
   select '${own}', case when n = 1 then '${otherId}'::uuid else uuidv7() end, 'C' || n, clock_timestamp() - n * interval '1 min'
     from generate_series(1, 3000) n`,
  `insert into campaign_recipients (organization_id, id, campaign_id, contact_id, channel_id, status, reason)
   select '${own}', uuidv7(), case when n % 10 = 0 then '${otherId}'::uuid else c.id end, k.id, '${channelId}',
          (array['skipped', 'failed', 'sent', 'read'])[case when n % 100 = 0 then 1 when n % 70 = 0 then 2 else 3 + n % 2 end],
          case when n % 100 <> 0 then '' when n % 300 = 0 then 'expired' else 'suppressed' end
     from (select id, row_number() over (order by id) as n from contacts where organization_id = '${own}' limit 10000) k,
          (select id from campaigns where organization_id = '${own}' and id <> '${otherId}' limit 1) c`,
];
