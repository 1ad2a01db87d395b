import { uuidv7 } from '../../src/platform/ids.ts';
import type { Side } from '../stage.ts';
import type { Person } from '../tenant.ts';
import { workerPath } from '../worker-path.ts';

/** Bodies as the web process leaves them, each with one message of somebody who is known; the provider's ids of these. */
export async function queueBodies(
  { sql, tenant }: Side,
  count: number,
  messageOf: (person: Person, index: number) => object,
): Promise<string[]> {
  const { organizationId, phoneNumberId, people } = tenant;
  const ids = Array.from({ length: count }, () => uuidv7());
  const messages = ids.map((id) => `wamid.in.${id}`);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const bodies = messages.map((id, index) => {
    const person = people[index % people.length]!;
    const value = {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '15550100001', phone_number_id: phoneNumberId },
      contacts: [{ profile: { name: 'Sheena Nelson' }, wa_id: person.phone }],
      messages: [{ from: person.phone, id, timestamp, ...messageOf(person, index) }],
    };
    return Buffer.from(JSON.stringify([{ entryId: '200000000000001', change: { field: 'messages', value } }]));
  });
  await sql.query(
    `insert into provider_webhooks (id, organization_id, body, state)
     select x.id, $1, x.body, 'received' from unnest($2::uuid[], $3::bytea[]) as x(id, body)`,
    [organizationId, ids, bodies],
  );
  await sql.query(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, check_at)
     select uuidv7(), $1, 'provider-webhooks.apply', 'default', jsonb_build_object('webhook_id', x.id), 'provider_webhook', x.id, 'queued',
            now() + interval '5 min'
       from unnest($2::uuid[]) as x(id)`,
    [organizationId, ids],
  );
  await sql.query('analyze provider_webhooks, jobs');
  return messages;
}

const text = { type: 'text', text: { body: 'Where is my order? It should be here by now' } };

export const inboundMessage = workerPath({
  name: 'inbound-message',
  what: 'one worker applies webhooks with a message each',
  unit: 'messages/s',
  queue: 'default',
  prepare: (side, _stage, count) => queueBodies(side, count, () => text),
  async verify({ sql, name }, _stage, messages) {
    const { rows } = await sql.query(
      `select count(*)::int as stored from messages where provider_message_id = any($1) and direction = 'inbound' and contact_id is not null`,
      [messages],
    );
    if (rows[0].stored !== messages.length)
      throw new Error(`inbound-message, ${name}: ${rows[0].stored} of ${messages.length} stored`);
    await sql.query('vacuum analyze messages, conversations, provider_webhooks, events');
  },
});
