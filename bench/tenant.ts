import type pg from 'pg';
import { scopes } from '../src/organizations/scopes.ts';
import { newCredential } from '../src/platform/credentials.ts';
import { uuidv7 } from '../src/platform/ids.ts';
import { channelPool, endpointPool } from '../src/platform/ledger/pools.ts';
import { createSecrets, type SecretKeys, sha256 } from '../src/platform/secrets.ts';
import { newSecret } from '../src/webhooks/signature.ts';

export const appSecret = 'bench-app-secret';
const people = 1_000;
const history = 20_000;

/** A person who wrote just now, so that a text to them is allowed. */
export type Person = { phone: string; contactId: string; conversationId: string };
export type Tenant = {
  organizationId: string;
  apiKey: string;
  channelId: string;
  phoneNumberId: string;
  endpointId: string;
  endpointSecret: string;
  people: Person[];
  messageIds: string[];
};

type Options = {
  keys?: SecretKeys;
  accessToken: string;
  phoneNumberId: string;
  accountId?: string;
  receiverUrl: string;
  /** Of the channel's own provider app. */
  appSecret?: string;
  /** Messages a second that the channel may send, as the product bounds it; without one there is no bound. */
  rate?: number;
  /** Messages it has sent so far. */
  sent?: number;
};

/** One organization with a channel and a webhook endpoint, people and a history. Without `keys` secrets lie open. */
export async function seedTenant(
  sql: pg.Pool,
  {
    keys,
    accessToken,
    phoneNumberId,
    accountId = '200000000000001',
    receiverUrl,
    appSecret: ownSecret,
    rate,
    sent = history,
  }: Options,
): Promise<Tenant> {
  const seal = keys ? createSecrets(keys).seal : (text: string) => text;
  const [organizationId, channelId, endpointId] = [uuidv7(), uuidv7(), uuidv7()];
  const apiKey = newCredential('kk_');
  const endpointSecret = newSecret();
  await sql.query(`insert into organizations (id, name) values ($1, 'Bench')`, [organizationId]);
  await sql.query('insert into api_keys (id, organization_id, name, hash, scopes) values ($1, $2, $3, $4, $5)', [
    uuidv7(),
    organizationId,
    'bench',
    sha256(apiKey),
    scopes,
  ]);
  await sql.query(
    `insert into channels (id, organization_id, provider, name, phone_number_id, account_id, display_phone, status, access_token, app_secret, rate)
     values ($1, $2, 'messaging_app', 'Bench', $3, $4, '+1 555-010-0001', 'connected', $5, $6, $7)`,
    [channelId, organizationId, phoneNumberId, accountId, seal(accessToken), ownSecret ? seal(ownSecret) : null, rate ?? 1_000],
  );
  // The endpoint listens to nothing by itself: each path says what it delivers.
  await sql.query(
    `insert into webhook_endpoints (id, organization_id, url, event_types, ordering, secret) values ($1, $2, $3, '{}', 'best_effort', $4)`,
    [endpointId, organizationId, receiverUrl, seal(endpointSecret)],
  );
  await sql.query('insert into pools (organization_id, id, width, rate) values ($5, $1, $3, $4), ($5, $2, 1000000, null)', [
    channelPool(channelId),
    endpointPool(endpointId),
    rate ?? 1_000_000,
    rate ?? null,
    organizationId,
  ]);
  const persons: Person[] = Array.from({ length: people }, (_, index) => ({
    phone: `1555${String(index).padStart(7, '0')}`,
    contactId: uuidv7(),
    conversationId: uuidv7(),
  }));
  const ids = [
    persons.map(({ contactId }) => contactId),
    persons.map(({ conversationId }) => conversationId),
    persons.map(({ phone }) => phone),
  ];
  await sql.query(
    `insert into contacts (id, organization_id, name, phone_number) select x.c, $1, 'P', '+' || x.p from unnest($2::uuid[], $3::text[]) as x(c, p)`,
    [organizationId, ids[0], ids[2]],
  );
  for (const [type, prefix] of [
    ['phone', '+'],
    ['messaging_app', ''],
  ])
    await sql.query(
      `insert into contact_identities (id, organization_id, contact_id, type, value) select uuidv7(), $1, x.c, $4, $5 || x.p from unnest($2::uuid[], $3::text[]) as x(c, p)`,
      [organizationId, ids[0], ids[2], type, prefix],
    );
  await sql.query(
    `insert into conversations (id, organization_id, channel_id, contact_id, status, last_inbound_at)
     select x.v, $1, $2, x.c, 'open', now() from unnest($3::uuid[], $4::uuid[]) as x(c, v)`,
    [organizationId, channelId, ids[0], ids[1]],
  );
  const messageIds = Array.from({ length: sent }, () => uuidv7());
  await sql.query(
    `insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, to_phone, content, provider_message_id)
     select x.m, $1, $2, x.v, x.c, 'outbound', 'text', 'sent', x.p, '{"body": "An old message of some length, as people write them"}', 'wamid.' || x.m
       from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[]) as x(m, c, v, p)`,
    [
      organizationId,
      channelId,
      messageIds,
      messageIds.map((_, index) => persons[index % people]!.contactId),
      messageIds.map((_, index) => persons[index % people]!.conversationId),
      messageIds.map((_, index) => persons[index % people]!.phone),
    ],
  );
  await sql.query('analyze');
  return { organizationId, apiKey, channelId, phoneNumberId, endpointId, endpointSecret, people: persons, messageIds };
}

/** `count` messages with their jobs as the API leaves them, ten a conversation: first ones waiting for their pool, the others behind them. */
export async function queueMessages(
  sql: pg.Pool,
  { organizationId, channelId, people: persons }: Tenant,
  count: number,
): Promise<string[]> {
  const conversations = Math.min(persons.length, Math.ceil(count / 10));
  const ids = Array.from({ length: count }, () => uuidv7());
  const jobs = ids.map(() => uuidv7());
  const own = ids.map((_, index) => persons[index % conversations]!);
  await sql.query(
    `insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, to_phone, content)
     select x.m, $1, $2, x.v, x.c, 'outbound', 'text', 'queued', x.p, '{"body": "Your order is on its way"}' from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[]) as x(m, c, v, p)`,
    [
      organizationId,
      channelId,
      ids,
      own.map(({ contactId }) => contactId),
      own.map(({ conversationId }) => conversationId),
      own.map(({ phone }) => phone),
    ],
  );
  await sql.query(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, lane, pool, state, check_at)
     select x.j, $1, 'messages.send', 'messages', jsonb_build_object('message_id', x.m), 'message', x.m, 'conversation:' || x.v, $2, case when x.i < $6 then 'waiting' else 'blocked' end, now() + interval '5 s'
       from unnest($3::uuid[], $4::uuid[], $5::uuid[], $7::int[]) as x(j, m, v, i) order by x.i`,
    [
      organizationId,
      channelPool(channelId),
      jobs,
      ids,
      own.map(({ conversationId }) => conversationId),
      conversations,
      ids.map((_, index) => index),
    ],
  );
  await sql.query('analyze messages, jobs');
  return ids;
}

/** `count` events, each with a delivery to the endpoint and its job waiting for room in the endpoint's pool. */
export async function queueDeliveries(
  sql: pg.Pool,
  { organizationId, endpointId, channelId, people: [person] }: Tenant,
  count: number,
): Promise<string[]> {
  const [events, deliveries, jobs, messages] = [0, 1, 2, 3].map(() => Array.from({ length: count }, () => uuidv7())) as [
    string[],
    string[],
    string[],
    string[],
  ];
  await sql.query(
    `insert into events (id, organization_id, type, subject_type, subject_id, data)
     select x.e, $1, 'message.sent', 'message', x.m, jsonb_build_object('message_id', x.m, 'conversation_id', $2::text, 'channel_id', $3::text) from unnest($4::uuid[], $5::uuid[]) as x(e, m)`,
    [organizationId, person!.conversationId, channelId, events, messages],
  );
  await sql.query(
    `insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, next_attempt_at) select x.d, $1, x.e, $2, 'pending', now() from unnest($3::uuid[], $4::uuid[]) as x(e, d)`,
    [organizationId, endpointId, events, deliveries],
  );
  await sql.query(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, pool, state, check_at)
     select x.j, $1, 'webhooks.deliver', 'webhooks', jsonb_build_object('delivery_id', x.d), 'webhook_delivery', x.d, $2, 'waiting', now() + interval '5 s' from unnest($3::uuid[], $4::uuid[]) as x(j, d)`,
    [organizationId, endpointPool(endpointId), jobs, deliveries],
  );
  await sql.query('analyze events, webhook_deliveries, jobs');
  return events;
}
