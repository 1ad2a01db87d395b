import { Migration } from '@mikro-orm/migrations';
import { isSeqScanOff } from './20261130000000-classes.ts';

/** A campaign wrote twice to one person: a message whose outcome is unknown let another one of the same campaign pass. */
export class SecondMessages extends Migration {
  override name = '20261205000000-second-messages';

  override up() {
    this.addSql(campaignOfMessage);
    // A replaced function has lost its settings.
    this.addSql(isSeqScanOff('campaign_of_message(uuid, uuid, uuid)'));
  }

  override down() {
    // The signature is unchanged, and 20261203000000-claims-by-kind drops the function.
  }
}

/** `m`: a message that the provider has, or may have: it is being sent, or an answer was lost. */
const mayBeOut = `(m.status in ('sending', 'sent', 'delivered', 'read') or m.resends > 0)`;

/**
 * As in 20261203000000-claims-by-kind. `is_second`: the campaign writes to the person, whose contacts were merged, with another message. That one comes
 * first if the provider may have taken it: it was sent, is being sent, waits for another attempt after a lost answer, or was given up after one.
 * Else, of several queued messages that the provider has not seen, the first in the order of (is_extra, id) goes out. A message that
 * may be out itself therefore never makes way for a queued one.
 */
const campaignOfMessage = `
create or replace function campaign_of_message(the_organization uuid, the_campaign uuid, the_message uuid) returns jsonb
language plpgsql stable as $$
begin
  return (
    select jsonb_build_object('status', a.status, 'purpose', a.purpose, 'schedule', a.schedule, 'zone', r.zone, 'is_second', exists (
             select 1
               from campaign_recipients o
              where o.organization_id = r.organization_id and o.campaign_id = r.campaign_id and o.contact_id = r.contact_id and o.id <> r.id
                and (o.status in ('sent', 'delivered', 'read')
                  or o.status = 'failed' and o.failure_code = 'outcome_unknown'
                  or o.status = 'queued' and (
                       exists (
                         select 1
                           from messages m
                          where m.organization_id = o.organization_id and m.id = o.message_id and ${mayBeOut})
                       or (o.is_extra, o.id) < (r.is_extra, r.id) and not exists (
                         select 1
                           from messages m
                          where m.organization_id = r.organization_id and m.id = r.message_id and ${mayBeOut})))))
      from campaigns a
      left join campaign_recipients r on r.organization_id = a.organization_id and r.message_id = the_message
     where a.organization_id = the_organization and a.id = the_campaign);
end
$$`;
