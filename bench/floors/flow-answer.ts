import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';

const opening = `select s.message_id, s.flow_id, s.client_token, v.labels
  from messages m join flow_sends s on s.organization_id = $1 and s.message_id = m.id
  left join flow_versions v on v.organization_id = $1 and v.flow_id = s.flow_id and v.number = s.version
  where m.organization_id = $1 and m.channel_id = $2 and m.provider_message_id = $3`;
const respond = `with r as (
    insert into flow_responses (id, organization_id, flow_id, message_id, sent_message_id, contact_id, conversation_id, channel_id, response,
      answers, client_token)
    values ($2, $1, $3, $4, $5, $6, $7, $8, $9, $10, $11)),
  s as (update flow_sends set responded_at = now() where organization_id = $1 and message_id = $5 and responded_at is null),
  e as (
    insert into events (id, organization_id, type, subject_type, subject_id, data)
    values ($12, $1, 'flow.response_received', 'conversation', $7, $13) returning id, type)
  insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state)
  select uuidv7(), $1, e.id, w.id, 'pending' from e join webhook_endpoints w on w.organization_id = $1 and e.type = any(w.event_types)`;

type Label = { label: string; options?: Record<string, string> };
type Opening = { message_id: string; flow_id: string; client_token: string; labels: Record<string, Label> };

/** The message that is answered, with the words of its form. */
export async function openingOf(client: pg.PoolClient, organization: string, channelId: string, contextId: string) {
  const { rows } = await client.query<Opening>({ name: 'opening', text: opening, values: [organization, channelId, contextId] });
  return rows[0];
}

type Placed = Record<'message_id' | 'conversation_id' | 'contact_id' | 'channel_id' | 'organization_id', string>;

/** The answer in the words of the form, its message marked as answered, and its event. */
export async function storeAnswer(client: pg.PoolClient, placed: Placed, data: Record<string, string>, of: Opening | undefined) {
  const { flow_token: _ours, ...given } = data;
  const { flow_id = null, client_token = null, message_id = null, labels } = of ?? {};
  const answers = Object.entries(given).map(([id, value]) => {
    const { label = id, options } = labels?.[id] ?? {};
    return { id, label, value, text: options?.[value] ?? value };
  });
  const response = { ...given, flow_token: client_token };
  const [id, event] = [uuidv7(), uuidv7()];
  const { organization_id, contact_id, conversation_id, channel_id } = placed;
  await client.query({
    name: 'respond',
    text: respond,
    values: [
      ...[organization_id, id, flow_id, placed.message_id, message_id, contact_id, conversation_id, channel_id, response],
      ...[JSON.stringify(answers), client_token, event, { ...placed, response_id: id, flow_id, client_token, response }],
    ],
  });
}
