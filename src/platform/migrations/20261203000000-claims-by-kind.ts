import { Migration } from '@mikro-orm/migrations';
import { isSeqScanOff } from './20261130000000-classes.ts';

const nameOfTemplate = 'known_template(uuid, uuid, text, text)';
const nameOfCampaign = 'campaign_of_message(uuid, uuid, uuid)';

/**
 * What the claim of a message reads for a template, and for a campaign. Inline it would be a third of the nodes of a plan that also runs for
 * every text, which needs none of them (docs/decisions/0016-one-round-trip.md). Stable: the same snapshot as the claim's.
 */
export class ClaimsByKind extends Migration {
  override name = '20261203000000-claims-by-kind';

  override up() {
    this.addSql(knownTemplate);
    this.addSql(campaignOfMessage);
    for (const name of [nameOfTemplate, nameOfCampaign]) this.addSql(isSeqScanOff(name));
  }

  override down() {
    this.addSql(`drop function ${nameOfCampaign}`);
    this.addSql(`drop function ${nameOfTemplate}`);
  }
}

const knownTemplate = `
create function known_template(the_organization uuid, the_channel uuid, the_name text, the_language text) returns jsonb
language plpgsql stable as $$
begin
  return (
    select jsonb_build_object('category', t.category, 'has_flow_button',
             t.components @? '$[*].buttons[*] ? (@.type like_regex "^flow$" flag "i")')
      from templates t
     where t.organization_id = the_organization and t.channel_id = the_channel and t.name = the_name and t.language = the_language);
end
$$`;

/**
 * Null: the campaign is gone. `is_second`: the message is the second of one person, whose two contacts became one. The extra one gives way to the other,
 * the other only to an extra one that is out already: so never both go out.
 */
const campaignOfMessage = `
create function campaign_of_message(the_organization uuid, the_campaign uuid, the_message uuid) returns jsonb
language plpgsql stable as $$
begin
  return (
    select jsonb_build_object('status', a.status, 'purpose', a.purpose, 'schedule', a.schedule, 'zone', r.zone, 'is_second', exists (
             select 1
               from campaign_recipients o
              where o.organization_id = r.organization_id and o.campaign_id = r.campaign_id and o.contact_id = r.contact_id and o.id <> r.id
                and (o.status in ('sent', 'delivered', 'read')
                  or o.status = 'queued' and (r.is_extra or exists (
                       select 1
                         from messages x
                        where x.organization_id = o.organization_id and x.id = o.message_id and x.status = 'sending')))))
      from campaigns a
      left join campaign_recipients r on r.organization_id = a.organization_id and r.message_id = the_message
     where a.organization_id = the_organization and a.id = the_campaign);
end
$$`;
