import { tokenOf } from '../../src/flows/token.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { createSecrets } from '../../src/platform/secrets.ts';
import { insertFlow } from '../flows/insert.ts';
import type { Side } from '../stage.ts';
import { workerPath } from '../worker-path.ts';
import { queueBodies } from './inbound-message.ts';

/** By the organization. */
const flows = new Map<string, string>();

/** So many messages that opened the flow, each still without an answer. */
async function sendForms({ sql, tenant }: Side, count: number): Promise<string[]> {
  const { organizationId, channelId, people } = tenant;
  const flowId = flows.get(organizationId) ?? (await insertFlow(sql, tenant));
  flows.set(organizationId, flowId);
  const ids = Array.from({ length: count }, () => uuidv7());
  const own = ids.map((_, index) => people[index % people.length]!);
  await sql.query(
    `insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, to_phone, content,
                           provider_message_id)
     select x.m, $1, $2, x.v, x.c, 'outbound', 'interactive', 'read', x.p, $3, 'wamid.' || x.m
       from unnest($4::uuid[], $5::uuid[], $6::uuid[], $7::text[]) as x(m, c, v, p)`,
    [
      ...[organizationId, channelId, { type: 'flow', body: { text: 'Book a table' } }, ids],
      own.map(({ contactId }) => contactId),
      own.map(({ conversationId }) => conversationId),
      own.map(({ phone }) => phone),
    ],
  );
  await sql.query(
    `insert into flow_sends (organization_id, message_id, flow_id, version, client_token)
     select $1, x.m, $2, 1, 'order-4711' from unnest($3::uuid[]) as x(m)`,
    [organizationId, flowId, ids],
  );
  await sql.query('analyze messages, flow_sends');
  return ids;
}

async function queueAnswers(side: Side, count: number): Promise<string[]> {
  const { env, tenant } = side;
  const secrets = createSecrets({ secretKey: env.SECRET_KEY!, hashKey: env.HASH_KEY! });
  const sent = await sendForms(side, count);
  return queueBodies(side, count, (_person, index) => {
    const flow_token = tokenOf(secrets, tenant.organizationId, sent[index]!);
    const response_json = JSON.stringify({ day: 'tue', people: '4', note: 'By the window, if there is a place', flow_token });
    return {
      context: { from: '15550100001', id: `wamid.${sent[index]}` },
      type: 'interactive',
      interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json } },
    };
  });
}

/** Each has its message, its flow and the words of the form, and is told once. */
export const flowAnswer = workerPath({
  name: 'flow-answer',
  what: 'one worker applies webhooks with an answer to a flow each',
  unit: 'answers/s',
  queue: 'default',
  prepare: (side, _stage, count) => queueAnswers(side, count),
  async verify({ sql, name, tenant }, _stage, messages) {
    const { rows } = await sql.query(
      `select count(*)::int as stored
         from messages m
         join flow_responses r on r.organization_id = m.organization_id and r.message_id = m.id
         join flow_sends s on s.organization_id = m.organization_id and s.message_id = m.context_message_id
        where m.organization_id = $1 and m.provider_message_id = any($2) and r.flow_id = $3 and r.sent_message_id = s.message_id
          and r.client_token = 'order-4711' and r.answers->0->>'text' = 'Tuesday' and s.responded_at is not null
          and (select count(*)
                 from events e
                where e.organization_id = $1 and e.type = 'flow.response_received' and e.subject_id = m.conversation_id
                  and e.data->>'response_id' = r.id::text) = 1`,
      [tenant.organizationId, messages, flows.get(tenant.organizationId)],
    );
    if (rows[0].stored !== messages.length)
      throw new Error(`flow-answer, ${name}: ${rows[0].stored} of ${messages.length} stored and told`);
    await sql.query('vacuum analyze messages, conversations, provider_webhooks, events, flow_responses, flow_sends');
  },
});
