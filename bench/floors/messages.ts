import type { Queue } from 'bullmq';
import express from 'express';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';

const columns =
  'id, channel_id, conversation_id, contact_id, direction, type, status, to_phone, content, provider_message_id, failure, created_at, updated_at';
const view = (row: Record<string, unknown>) => ({ ...row, provider_message_id: row.provider_message_id ?? '' });

const target = `select c.status, i.contact_id, v.id as conversation_id, v.last_inbound_at > now() - interval '24 hours' as is_open
  from channels c join contact_identities i on i.organization_id = c.organization_id and i.type = 'phone' and i.source = '' and i.value = $3
  join conversations v on v.organization_id = c.organization_id and v.channel_id = c.id and v.contact_id = i.contact_id where c.organization_id = $1 and c.id = $2`;
const insertMessage = `insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, to_phone, content)
  values ($1, $2, $3, $4, $5, 'outbound', $6, 'queued', $7, $8) returning ${columns}`;
/** With what it opens. */
const insertOpening = `with m as (${insertMessage}),
  s as (insert into flow_sends (organization_id, message_id, flow_id, version, client_token) values ($2, $1, $9, $10, $11))
  select * from m`;
const flowToOpen = `select f.status, f.provider_version, v.screens
  from channels c join flows f on f.organization_id = c.organization_id and f.account_id = c.account_id
  join flow_versions v on v.organization_id = f.organization_id and v.flow_id = f.id and v.number = f.provider_version
  where c.organization_id = $1 and c.id = $2 and f.id = $3`;
const touchConversation = `update conversations set preview = $2, last_message_at = now(), updated_at = now() where organization_id = $3 and id = $1`;
const insertEvent = `with e as (insert into events (id, organization_id, type, subject_type, subject_id, data) values ($1, $2, $3, $4, $5, $6))
  insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state) select uuidv7(), $2, $1, id, 'pending' from webhook_endpoints where organization_id = $2 and $3 = any(event_types)`;
export const insertJob = `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, check_at)
  values ($1, $2, $3, $4, $5, $6, $7, 'queued', now() + interval '5 s')`;

type Opened = { flow_id: string; flow_token?: string; flow_action_payload?: { screen: string } };

async function flowOf(client: pg.PoolClient, organization: string, channelId: string, opened: Opened) {
  const { flow_id: id, flow_token: token = null, flow_action_payload: payload } = opened;
  const { rows } = await client.query({ name: 'flow', text: flowToOpen, values: [organization, channelId, id] });
  const [flow] = rows;
  if (flow?.status !== 'published' || (payload && !flow.screens.includes(payload.screen))) return undefined;
  return [id, flow.provider_version, token];
}

/** One message, and one accepted: a text, or one that opens a flow. */
export function messageRoutes(app: express.Express, pool: pg.Pool, organizations: Map<string | undefined, string>, queue: Queue) {
  app.get('/v1/messages/:id', async (req, res) => {
    const organization = organizations.get(req.get('x-api-key'));
    if (!organization) return void res.status(401).end();
    const { rows } = await pool.query({
      name: 'get',
      text: `select ${columns} from messages where organization_id = $1 and id = $2`,
      values: [organization, req.params.id],
    });
    if (!rows[0]) return void res.status(404).end();
    res.json({ data: view(rows[0]) });
  });

  app.post('/v1/messages', express.json(), async (req, res) => {
    const organization = organizations.get(req.get('x-api-key'));
    if (!organization) return void res.status(401).end();
    const { channel_id, to, type } = req.body;
    const content = req.body[type];
    const opened = type === 'interactive' ? content?.action?.parameters : undefined;
    const said = opened ? content.body?.text : content?.body;
    if (typeof channel_id !== 'string' || typeof to !== 'string' || !(opened || type === 'text') || typeof said !== 'string')
      return void res.status(400).end();
    const client = await pool.connect();
    try {
      const found = await client.query({ name: 'target', text: target, values: [organization, channel_id, to] });
      const [person] = found.rows;
      if (!person?.is_open) return void res.status(422).end();
      const flow = opened && (await flowOf(client, organization, channel_id, opened));
      if (opened && !flow) return void res.status(422).end();
      const [id, job] = [uuidv7(), uuidv7()];
      await client.query('begin');
      const values = [id, organization, channel_id, person.conversation_id, person.contact_id, type, to.slice(1), content];
      const { rows } = await client.query(
        flow
          ? { name: 'opening', text: insertOpening, values: [...values, ...flow] }
          : { name: 'message', text: insertMessage, values },
      );
      await client.query({
        name: 'conversation',
        text: touchConversation,
        values: [person.conversation_id, said, organization],
      });
      await client.query({
        name: 'job',
        text: insertJob,
        values: [job, organization, 'messages.send', 'messages', { message_id: id }, 'message', id],
      });
      const data = { conversation_id: person.conversation_id, status: 'open' };
      const event = [uuidv7(), organization, 'conversation.updated', 'conversation', person.conversation_id, data];
      await client.query({ name: 'event', text: insertEvent, values: event });
      await client.query('commit');
      await queue.add('messages.send', { id: job });
      res.status(201).json({ data: view(rows[0]) });
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  });
}
