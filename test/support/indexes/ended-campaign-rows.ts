/** Campaigns that have ended, some of them deleted, and recipients of one of them: a contact was in many. */
export const endedCampaignRows = (own: string, { contactId, channelId }: Record<'contactId' | 'channelId', string>): string[] => [
  `insert into campaigns (organization_id, id, name, status, created_at, ended_at, deleted_at)
   select '${own}', uuidv7(), 'E' || n, 'completed', clock_timestamp() - n * interval '1 hour', clock_timestamp() - n * interval '1 hour',
          case when n % 50 = 0 then clock_timestamp() - n * interval '1 hour' end
     from generate_series(1, 3000) n`,
  `insert into campaign_recipients (organization_id, id, campaign_id, contact_id, channel_id, status, created_at)
   select organization_id, uuidv7(), id, '${contactId}', '${channelId}', 'read', created_at
     from campaigns
    where name like 'E%1'`,
  `insert into campaign_recipients (organization_id, id, campaign_id, contact_id, channel_id, status, result_at)
   select k.organization_id, uuidv7(), c.id, k.id, '${channelId}', (array['sent', 'delivered', 'read', 'failed'])[1 + (random() * 3)::int],
          clock_timestamp() - random() * interval '1 day'
     from (select * from contacts where organization_id = '${own}' and id <> '${contactId}' limit 10000) k,
          (select id from campaigns where name = 'E2') c`,
  `insert into campaign_recipients (organization_id, id, campaign_id, contact_id, channel_id, zone, due_at)
   select k.organization_id, uuidv7(), c.id, k.id, '${channelId}', 'UTC', clock_timestamp() - random() * interval '1 day'
     from (select * from contacts where organization_id = '${own}' and id <> '${contactId}' limit 5000) k,
          (select id from campaigns where name = 'E3') c`,
];
