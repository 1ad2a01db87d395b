import type { Contact } from '../../contacts/contact.entity.ts';
import { phoneAddress, userIdAddress } from '../../contacts/identities/messaging-address.ts';
import { type Permission, permissionColumns } from '../../contacts/permission/permission.ts';
import { cappedSql } from '../../messaging/campaign-sends.ts';
import type { Conversation } from '../../messaging/conversation.entity.ts';
import type { FrequencyCap } from '../../organizations/organization.entity.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { isHeard } from '../../platform/events/record.ts';
import type { RunRef } from '../../platform/ledger/tx.ts';
import type { CampaignRecipient } from '../recipient.entity.ts';

const recipientColumns = ['id', 'channel_id', 'variant_id', 'parameters', 'is_extra', 'zone'] as const;
const contactColumns = ['name', 'phone_number', 'email', 'external_source', 'external_id', 'custom_fields'] as const;
const of = (alias: string, columns: readonly string[]) => columns.map((column) => `${alias}.${column}`).join(', ');

type Recipient = RowOf<typeof CampaignRecipient, (typeof recipientColumns)[number]>;
type Person = RowOf<typeof Contact, (typeof contactColumns)[number]> & { contact_id: string; contact_created_at: string };
type None<Row> = { [Column in keyof Row]: null };
type Around = Omit<Permission, 'category'> & {
  tags: string[] | null;
  conversation_id: string | null;
  conversation_status: RowOf<typeof Conversation, 'status'>['status'] | null;
  phone: string | null;
  user_id: string | null;
  is_capped: boolean;
};

/** Somebody who is due, with all that a message to them needs. Without a contact: erased. */
export type DueRow = Recipient & Around & (Person | None<Person>);
export type DuePerson = Recipient & Around & Person;
export type Due = { isRunning: boolean; isHeard: boolean; rows: DueRow[] };

const permission = permissionColumns({ organization: '$1', contact: 'k.id', channel: 'd.channel_id' });
const tagsOf = `
  array(
    select t.name
      from contact_tags a
      join tags t on t.organization_id = a.organization_id and t.id = a.tag_id
     where a.organization_id = k.organization_id and a.contact_id = k.id
     order by t.name)`;

type Form = { isCapped: boolean; readsTags: boolean };

/** Recipients of one look. */
export const maxLook = 200;

/**
 * Those of each channel who are due first, over the open zones: a look in the index for each. The bound of all is in the text, or the planner
 * would expect a tenth of the table. A row comes back where nobody is due too.
 * SQL: `lateral` over lists of channels and zones, with all that a message needs, in one round trip (bench: feed).
 */
const lookStatement = ({ isCapped, readsTags }: Form) => `
  with due as materialized (
    select c.channel_id, d.*
      from unnest($3::uuid[], $4::int[]) as c(channel_id, most),
           lateral (
             select o.*
               from unnest($5::text[]) as z(zone),
                    lateral (
                      select r.id, r.contact_id, r.variant_id, r.parameters, r.is_extra, r.zone, r.due_at
                        from campaign_recipients r
                       where r.organization_id = $1
                         and r.campaign_id = $2
                         and r.channel_id = c.channel_id
                         and r.zone = z.zone
                         and r.status = 'pending'
                         and r.due_at <= clock_timestamp()
                       order by r.due_at, r.id
                       limit c.most) o
              order by o.due_at, o.id
              limit c.most) d
     order by d.due_at, d.id
     limit ${maxLook})
  select p.status = 'running' and p.alarm is null and exists (
           select 1
             from jobs j
            where j.organization_id = $1 and j.id = $6 and j.run = $7 and j.state = 'queued') as is_running,
         ${isHeard('$1', 'conversation.updated', 'conversation.created')} as is_heard,
         ${of('d', recipientColumns)}, k.id as contact_id, ${of('k', contactColumns)}, k.created_at as contact_created_at, ${readsTags ? tagsOf : 'null::text[]'} as tags,
         v.id as conversation_id, v.status as conversation_status, ${phoneAddress} as phone, ${userIdAddress} as user_id, ${permission},
         ${isCapped ? cappedSql('k.id', ['$1', '$8', '$9']) : 'false'} as is_capped
    from campaigns p
    left join due d on true
    left join contacts k on k.organization_id = $1 and k.id = d.contact_id
    left join conversations v on v.organization_id = $1 and v.channel_id = d.channel_id and v.contact_id = k.id
   where p.organization_id = $1
     and p.id = $2
   order by d.due_at, d.id`;

const texts = new Map<string, string>();
function textOf(form: Form): string {
  const key = JSON.stringify(form);
  const text = texts.get(key) ?? lookStatement(form);
  texts.set(key, text);
  return text;
}

/** `limits`: of each channel, in all `maxLook` at most. `job`: the run that asks. */
export type Asked = {
  campaignId: string;
  limits: Map<string, number>;
  zones: string[];
  cap: FrequencyCap | null;
  job: RunRef;
  readsTags: boolean;
};

export async function lookForDue(own: Own, { campaignId, limits, zones, cap, job, readsTags }: Asked): Promise<Due> {
  const text = textOf({ isCapped: cap !== null, readsTags });
  const channels = [[...limits.keys()], [...limits.values()]];
  const params = [campaignId, ...channels, zones, job.id, job.run, ...(cap ? [cap.max, cap.days] : [])];
  const rows = await own.sql<(DueRow | None<DueRow>) & { is_running: boolean; is_heard: boolean }>(text, params);
  return {
    isRunning: rows[0]?.is_running ?? false,
    isHeard: rows[0]?.is_heard ?? true,
    rows: rows.filter((row) => row.id !== null),
  };
}
