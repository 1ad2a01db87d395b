export const fedCampaign = '00000000-0000-4000-8000-0000000000fe';

/** A campaign that is under way: a tenth waits, the others were written to over some days. */
export const fedCampaignRows = (own: string, { channelId, secondChannelId }: Record<'channelId' | 'secondChannelId', string>) => [
  `insert into campaigns (organization_id, id, name, status, phase) values ('${own}', '${fedCampaign}', 'Fed', 'running', 'sending')`,
  `insert into campaign_channels (organization_id, campaign_id, channel_id, position) values ('${own}', '${fedCampaign}', '${channelId}', 0)`,
  `insert into campaign_recipients (organization_id, id, campaign_id, contact_id, channel_id, zone, status, queued_at, result_at)
   select '${own}', uuidv7(), '${fedCampaign}', id, case when n % 20 = 1 then '${channelId}'::uuid else '${secondChannelId}'::uuid end,
          case when n % 2 = 0 then 'UTC' else 'Asia/Tokyo' end, case when n % 10 = 0 then 'pending' else 'sent' end,
          case when n % 10 <> 0 then clock_timestamp() - n * interval '10 min' end,
          case when n % 10 <> 0 then clock_timestamp() - n * interval '10 min' end
     from (select id, row_number() over (order by id) as n from contacts where organization_id = '${own}' limit 5000) k`,
];
