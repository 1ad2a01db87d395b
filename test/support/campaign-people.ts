import type { RecipientStatus } from '../../src/campaigns/states.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { campaign } from './factories/campaign.ts';
import { type ConversationMade, conversation } from './factories/conversation.ts';
import { message } from './factories/message.ts';
import type { House } from './house.ts';

export type PersonMade = { id: string; messageId: string; campaignId: string; talk: ConversationMade };

/** Of a row of `campaign_recipients`, as a test reads it. */
export type RecipientRow = {
  status: RecipientStatus;
  reason: string;
  failure_code: string;
  message_id: string | null;
  attempts: number;
  contact_id: string | null;
  is_extra: boolean;
  due_in_hours: number;
  parameters: object;
} & Record<
  'queued_at' | 'sent_at' | 'delivered_at' | 'read_at' | 'failed_at' | 'result_at' | 'replied_at' | 'clicked_at' | 'opted_out_at',
  string | null
>;

/** Recipients with their messages, as the feed leaves them, in whatever status. */
export function peopleOf(house: House) {
  const { organizationId: organization } = house;

  async function running(more: { guards?: object; status?: 'running' | 'completed' | 'cancelled' } = {}): Promise<string> {
    const { id } = await campaign(house.em(), organization, { status: more.status ?? 'running', phase: 'sending' });
    await house.sql('update campaigns set guards = $2 where id = $1', [id, JSON.stringify(more.guards ?? {})]);
    return id;
  }

  async function person(campaignId: string, status: RecipientStatus = 'queued', given?: ConversationMade): Promise<PersonMade> {
    const talk = given ?? (await conversation(house.em(), organization));
    const messageStatus = status === 'pending' || status === 'skipped' ? 'failed' : status;
    const messageId = await message(house.em(), organization, talk, { status: messageStatus });
    await house.sql('update messages set campaign_id = $2 where id = $1', [messageId, campaignId]);
    const id = uuidv7();
    await house.sql(
      `insert into campaign_recipients (id, organization_id, campaign_id, contact_id, channel_id, status, message_id, attempts, queued_at,
         sent_at, delivered_at, read_at, failed_at, result_at)
       select $1, $2, $3, $4, $5, $6, $7, 1, case when $6 not in ('pending', 'skipped') then t end,
              case when $6 in ('sent', 'delivered', 'read') then t end, case when $6 in ('delivered', 'read') then t end,
              case when $6 = 'read' then t end, case when $6 = 'failed' then t end,
              case when $6 in ('sent', 'delivered', 'read', 'failed') then t end
         from (select clock_timestamp() - interval '1 hour' as t)`,
      [id, organization, campaignId, talk.contact.id, talk.channel.id, status, messageId],
    );
    return { id, messageId, campaignId, talk };
  }

  const recipient = async (id: string): Promise<RecipientRow> =>
    (
      await house.sql<RecipientRow>(
        `select status, reason, failure_code, message_id, attempts, contact_id, is_extra, parameters, queued_at, sent_at, delivered_at, read_at,
                failed_at, result_at, replied_at, clicked_at, opted_out_at,
                round(extract(epoch from due_at - clock_timestamp()) / 3600)::int as due_in_hours
           from campaign_recipients
          where id = $1`,
        [id],
      )
    )[0]!;
  const alarmOf = async (campaignId: string) =>
    (await house.sql<{ alarm: string | null }>('select alarm from campaigns where id = $1', [campaignId]))[0]!.alarm;
  return { running, person, recipient, alarmOf };
}
