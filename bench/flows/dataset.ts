import type pg from 'pg';
import { withoutIndexes } from '../long/fill/indexes.ts';
import type { Tenant } from '../tenant.ts';
import { insertFlow } from './insert.ts';

export type FlowAnswered = { flowId: string; rows: number; contactIds: string[] };
export type Answered = { large: FlowAnswered; small: FlowAnswered };

/** A page more than the far one. */
const smallRows = 10_100;
const rowsAtOnce = 200_000;

const seconds = (sql: string) => `${sql} * interval '1 second'`;

/** Round the people, one a second, the newest now; one in a hundred is no JSON. Each with the message that it came in. */
const answers = `
  with m as (
    insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, from_phone, content,
                          provider_message_id, provider_at, created_at, updated_at)
    select uuidv7(${seconds('(n - $3::int)')}), $1, $2, p.conversation_id, p.contact_id, 'inbound', 'interactive', 'received', p.phone,
           '{"type": "nfm_reply", "nfm_reply": {"name": "flow", "body": "Sent", "response_json": "{}"}}', $7 || n,
           now() - ${seconds('($3::int - n)')}, now() - ${seconds('($3::int - n)')}, now()
      from generate_series($4::int, $5::int) n
      join people p on p.place = n % (select count(*) from people)
    returning id, contact_id, conversation_id, created_at)
  insert into flow_responses (id, organization_id, flow_id, message_id, contact_id, conversation_id, channel_id, response, answers,
                              is_malformed, client_token, received_at)
  select uuidv7(${seconds('(extract(epoch from m.created_at - now()))')}), $1, $6, m.id, m.contact_id, m.conversation_id, $2,
         case when x.is_malformed then '"By the window, please"'
              else '{"day": "tue", "people": "4", "note": "By the window", "flow_token": "order-4711"}' end::jsonb,
         case when x.is_malformed then '[]'
              else '[{"id": "day", "label": "Which day suits you?", "value": "tue", "text": "Tuesday"},
                     {"id": "people", "label": "How many people?", "value": "4", "text": "Four"},
                     {"id": "note", "label": "Anything we should know?", "value": "By the window", "text": "By the window"}]' end::jsonb,
         x.is_malformed, 'order-4711', m.created_at
    from m
    cross join lateral (select extract(epoch from now() - m.created_at)::int % 100 = 7 as is_malformed) x`;

/** One flow with so many answers and one with few, of one organization. */
export async function seedAnswers(pool: pg.Pool, tenant: Tenant, rows: number): Promise<Answered> {
  const [small, large] = [await insertFlow(pool, tenant), await insertFlow(pool, tenant)];
  const restore = await withoutIndexes(pool, ['messages', 'flow_responses'], 2);
  const sql = await pool.connect();
  try {
    await sql.query(
      `create temp table people as
       select (n - 1)::int as place, c as contact_id, v as conversation_id, p as phone
         from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality as x(c, v, p, n)`,
      [
        tenant.people.map(({ contactId }) => contactId),
        tenant.people.map(({ conversationId }) => conversationId),
        tenant.people.map(({ phone }) => phone),
      ],
    );
    await sql.query('analyze people');
    for (const [flowId, count] of [
      [small, smallRows],
      [large, rows],
    ] as const)
      for (let from = 1; from <= count; from += rowsAtOnce) {
        const until = Math.min(count, from + rowsAtOnce - 1);
        const values = [tenant.organizationId, tenant.channelId, count, from, until, flowId, `wamid.${flowId}.`];
        await sql.query(answers, values);
      }
    await sql.query('drop table people');
  } finally {
    sql.release();
  }
  await restore();
  const contactIds = tenant.people.map(({ contactId }) => contactId);
  return { small: { flowId: small, rows: smallRows, contactIds }, large: { flowId: large, rows, contactIds } };
}
