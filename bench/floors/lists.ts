import type express from 'express';
import type pg from 'pg';

const messageColumns =
  'id, channel_id, conversation_id, contact_id, direction, type, status, from_phone, to_phone, content, context_id, context_message_id, provider_message_id, failure, campaign_id, send_at, provider_at, created_at, updated_at';
const messages = `select ${messageColumns} from messages
  where organization_id = $1 and conversation_id = $3 order by created_at desc, id desc limit $2`;
const conversations = `select v.id, v.channel_id, v.contact_id, v.status, v.snoozed_until, v.assignee_id, v.priority, v.custom_fields, v.unread_count,
    v.preview, v.last_message_at, v.last_inbound_at, v.created_at, v.updated_at, coalesce(v.last_message_at, v.created_at) as last_activity_at,
    v.last_inbound_at + interval '24 hours' as window_expires_at, v.last_inbound_at > now() - interval '24 hours' as is_window_open,
    coalesce(nullif(c.name, ''), v.profile_name) as contact_name, coalesce(c.phone_number, '') as contact_phone_number,
    array(select t.name from conversation_tags a join tags t on t.organization_id = a.organization_id and t.id = a.tag_id
           where a.organization_id = $1 and a.conversation_id = v.id order by t.name) as tags
  from conversations v left join contacts c on c.organization_id = $1 and c.id = v.contact_id
  where v.organization_id = $1 order by coalesce(v.last_message_at, v.created_at) desc, v.id desc limit $2`;

type Row = Record<string, unknown>;
type List = { path: string; filter?: string; text: string; order: string; view(row: Row): object };

/** What a message has not is left out, as the API does. */
function messageView({ from_phone, send_at, provider_at, context_id, context_message_id, ...row }: Row) {
  const shown: Row = { ...row, provider_message_id: row.provider_message_id ?? '' };
  if (send_at !== null) shown.send_at = send_at;
  if (provider_at !== null) shown.provider_at = provider_at;
  if (row.direction === 'inbound') shown.from_phone = from_phone;
  if (context_id !== null) shown.context = { message_id: context_message_id, provider_message_id: context_id };
  return shown;
}

/** A first page, newest first: one row more tells that there is another, and its key is the cursor. */
export function listRoutes(app: express.Express, pool: pg.Pool, organizations: Map<string | undefined, string>) {
  const list = ({ path, filter, text, order, view }: List) =>
    app.get(path, async (req, res) => {
      const organization = organizations.get(req.get('x-api-key'));
      if (!organization) return void res.status(401).end();
      const limit = Number(req.query.limit);
      const values = [organization, limit + 1, ...(filter ? [req.query[filter]] : [])];
      const { rows } = await pool.query({ name: path, text, values });
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      const hasMore = rows.length > limit;
      const next = hasMore && Buffer.from(JSON.stringify([last[order], last.id])).toString('base64url');
      res.json({ items: shown.map(view), meta: { has_more: hasMore, limit, ...(next && { next_cursor: next }) } });
    });
  list({
    path: '/v1/messages',
    filter: 'conversation_id',
    text: messages,
    order: 'created_at',
    view: messageView,
  });
  list({ path: '/v1/conversations', text: conversations, order: 'last_activity_at', view: (row) => row });
}
