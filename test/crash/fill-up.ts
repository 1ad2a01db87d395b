import type { Database } from '../../src/platform/database/database.ts';
import { query } from '../../src/platform/database/query.ts';

/**
 * Messages of a channel as if each had been accepted, to everybody in turn: the first to each person waits in the channel's pool, the
 * others behind it. Written by the database itself, and unnoticed by everybody: 2,000 requests would be a load of their own.
 */
export async function fillUp(database: Database, channelId: string, phones: string[], count: number): Promise<void> {
  await query(
    database.em(),
    `with target as (select v.id, v.organization_id, v.contact_id, c.value as phone, row_number() over (order by v.id) - 1 as place from conversations v
       join contact_identities c on c.contact_id = v.contact_id and c.type = 'messaging_app' where v.channel_id = $1),
     wanted as (select uuidv7() as id, g, t.organization_id, t.id as conversation_id, t.contact_id, t.phone
       from generate_series(0, $2 - 1) g join target t on t.place = g % $3),
     m as (insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, to_phone, content)
       select id, organization_id, $1, conversation_id, contact_id, 'outbound', 'text', 'queued', phone, '{"body":"bulk"}' from wanted)
     insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, lane, pool, state, check_at)
     select uuidv7(), organization_id, 'messages.send', 'messages', jsonb_build_object('message_id', id), 'message', id, 'conversation:' || conversation_id, 'channel:' || $1,
            case when g < $3 then 'waiting' else 'blocked' end, now() from wanted order by g`,
    [channelId, count, phones.length],
  );
}
