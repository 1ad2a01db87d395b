import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { openingOf, storeAnswer } from './flow-answer.ts';
import { transactions } from './transactions.ts';

const read = `select w.id, w.body from jobs j join provider_webhooks w on w.organization_id = $2 and w.id = j.subject_id
  where j.organization_id = $2 and j.id = $1 and j.state = 'queued' and w.state = 'received'`;
const sender = `select c.id as channel_id, i.contact_id, v.id as conversation_id
  from channels c join contact_identities i on i.organization_id = $1 and i.type = 'messaging_app' and i.source = '' and i.value = $3
  join conversations v on v.organization_id = $1 and v.channel_id = c.id and v.contact_id = i.contact_id
  where c.organization_id = $1 and c.phone_number_id = $2`;
const insertMessage = `insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, from_phone, content, provider_message_id, provider_at, context_id, context_message_id)
  values ($1, $2, $3, $4, $5, 'inbound', $6, 'received', $7, $8, $9, $10, $11, $12) on conflict on constraint messages_provider_message_id do nothing returning id`;
const touch = `update conversations set status = case when status in ('resolved', 'snoozed') then 'open' else status end, unread_count = unread_count + 1,
    preview = $3, last_message_at = now(), last_inbound_at = greatest(last_inbound_at, $4), profile_name = $5, profile_phone = $6, updated_at = now()
  where organization_id = $1 and id = $2 returning status`;
const announce = `with e as (
    insert into events (id, organization_id, type, subject_type, subject_id, data)
    values ($2, $1, 'message.new', 'conversation', $4, $5), ($3, $1, 'conversation.updated', 'conversation', $4, $6) returning id, type)
  insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state)
  select uuidv7(), $1, e.id, w.id, 'pending' from e join webhook_endpoints w on w.organization_id = $1 and e.type = any(w.event_types)`;

/** A body with one message of somebody who is known: stored, shown in its conversation and told, in one transaction; and the answer in it. */
export function inboundWork(pool: pg.Pool, organization: string) {
  const inTransaction = transactions(pool);
  return async (job: string) => {
    const { rows } = await pool.query({ name: 'body', text: read, values: [job, organization] });
    const [webhook] = rows;
    if (!webhook) return;
    const [{ change }] = JSON.parse(webhook.body.toString());
    const { metadata, contacts, messages } = change.value;
    const [message] = messages;
    const reply = message.interactive?.nfm_reply;
    const at = new Date(Number(message.timestamp) * 1000);
    await inTransaction(async (client) => {
      const found = await client.query({
        name: 'sender',
        text: sender,
        values: [organization, metadata.phone_number_id, message.from],
      });
      const { channel_id, contact_id, conversation_id } = found.rows[0];
      const id = uuidv7();
      const opening = reply && (await openingOf(client, organization, channel_id, message.context?.id));
      const inserted = await client.query({
        name: 'inbound',
        text: insertMessage,
        values: [
          ...[id, organization, channel_id, conversation_id, contact_id, message.type, message.from],
          ...[message[message.type], message.id, at, message.context?.id, opening?.message_id],
        ],
      });
      if (inserted.rows.length > 0) {
        const shown = await client.query({
          name: 'touch',
          text: touch,
          values: [organization, conversation_id, reply?.body ?? message.text.body, at, contacts[0].profile.name, message.from],
        });
        const about = { message_id: id, conversation_id, contact_id, channel_id, direction: 'inbound' };
        const news = { ...about, from_phone: message.from, msg_type: message.type };
        const update = { conversation_id, status: shown.rows[0].status, changed: ['preview', 'unread_count'] };
        await client.query({
          name: 'announce',
          text: announce,
          values: [organization, uuidv7(), uuidv7(), conversation_id, news, update],
        });
        const placed = { message_id: id, conversation_id, contact_id, channel_id, organization_id: organization };
        if (reply) await storeAnswer(client, placed, JSON.parse(reply.response_json), opening);
      }
      await client.query({
        name: 'applied',
        text: `update provider_webhooks set state = 'applied', applied_at = now() where organization_id = $1 and id = $2`,
        values: [organization, webhook.id],
      });
      await client.query({
        name: 'done',
        text: 'delete from jobs where organization_id = $2 and id = $1',
        values: [job, organization],
      });
    });
  };
}
