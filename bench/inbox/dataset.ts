import type pg from 'pg';
import { scopes } from '../../src/organizations/scopes.ts';
import { newCredential } from '../../src/platform/credentials.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { sha256 } from '../../src/platform/secrets.ts';
import { withoutIndexes } from '../long/fill/indexes.ts';

export type Sizes = { messages: number; conversations: number };
/** Two channels: of the first are nine in ten of its conversations. Two members with conversations of theirs. */
export type Inbox = Sizes & { organizationId: string; apiKey: string; channels: string[]; members: string[]; tags: string[] };

/** As many conversations as the far page takes. */
export const smallSizes: Sizes = { messages: 50_000, conversations: 20_000 };

export const tagNames = ['Refund', 'VIP'];
const seconds = (sql: string) => `${sql} * interval '1 second'`;

/** A person each; the newest conversation last. Most are resolved, one in four is somebody's, one in ten has a tag. */
const conversations = [
  `create temp table inbox on commit preserve rows as
   select n, uuidv7() as contact_id, uuidv7() as conversation_id, ($2::uuid[])[case when n % 10 = 0 then 2 else 1 end] as channel_id,
          '4930' || lpad(n::text, 9, '0') as phone
     from generate_series(1, $1::int) n`,
  `insert into contacts (id, organization_id, name, phone_number, created_at, updated_at)
   select contact_id, $1, (string_to_array('Maria José Anna Budi Dewi Sheena Omar Priya Linh John', ' '))[1 + n % 10] || ' '
          || initcap(translate(n::text, '0123456789', 'baelionuts')), '+' || phone, now(), now()
     from inbox`,
  `insert into conversations (id, organization_id, channel_id, contact_id, status, assignee_id, unread_count, preview,
                              last_message_at, last_inbound_at, created_at, updated_at)
   select conversation_id, $1, channel_id, contact_id,
          case when n % 20 < 4 then 'open' when n % 20 = 4 then 'pending' when n % 20 = 5 then 'snoozed' else 'resolved' end,
          case when n % 4 = 0 then ($2::uuid[])[1 + n / 4 % 2] end, n % 3, 'Thank you',
          now() - ${seconds('($3::int - n)')}, now() - ${seconds('($3::int - n)')}, now() - interval '30 days', now()
     from inbox`,
  `insert into conversation_tags (organization_id, conversation_id, tag_id)
   select $1, conversation_id, ($2::uuid[])[case when n % 100 = 0 then 2 else 1 end]
     from inbox
    where n % 10 = 0`,
];

/** Round the conversations, one a second, the newest now: half of them received; one sent one in a thousand failed. */
const messages = `
  insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, from_phone, to_phone,
                        content, provider_message_id, created_at, updated_at)
  select uuidv7(${seconds('(m.n - $2::int)')}), $1, i.channel_id, i.conversation_id, i.contact_id, m.direction, 'text',
         case when m.direction = 'inbound' then 'received' when m.n % 2000 = 1 then 'failed' when m.n % 10 = 1 then 'sent'
              when m.n % 10 < 5 then 'delivered' else 'read' end,
         case when m.direction = 'inbound' then i.phone else '' end, case when m.direction = 'inbound' then '' else i.phone end,
         jsonb_build_object('body', 'About order ' || m.n || case when m.n % 50 = 0 then ', a refund please' else ': thank you' end),
         'wamid.' || m.n, now() - ${seconds('($2::int - m.n)')}, now() - ${seconds('($2::int - m.n)')}
    from (select n, case when n % 2 = 0 then 'inbound' else 'outbound' end as direction from generate_series($3::int, $4::int) n) m
    join inbox i on i.n = 1 + m.n % $5::int`;
const messagesAtOnce = 500_000;

/** An organization of these sizes and a small one, in one database. */
export async function seedInboxes(pool: pg.Pool, sizes: Sizes): Promise<{ large: Inbox; small: Inbox }> {
  const restore = await withoutIndexes(pool, ['messages', 'conversations', 'contacts', 'conversation_tags'], 2);
  const [small, large] = [await seedInbox(pool, 'Small', smallSizes), await seedInbox(pool, 'Large', sizes)];
  await restore();
  return { large, small };
}

async function seedInbox(pool: pg.Pool, name: string, sizes: Sizes): Promise<Inbox> {
  const sql = await pool.connect();
  try {
    const inbox = await seedOwner(sql, name, sizes);
    const { organizationId, channels, members, tags } = inbox;
    const values = [
      [sizes.conversations, channels],
      [organizationId],
      [organizationId, members, sizes.conversations],
      [organizationId, tags],
    ];
    for (const [step, statement] of conversations.entries()) await sql.query(statement, values[step]);
    await sql.query('create index on inbox (n); analyze inbox');
    for (let from = 1; from <= sizes.messages; from += messagesAtOnce) {
      const until = Math.min(sizes.messages, from + messagesAtOnce - 1);
      await sql.query(messages, [organizationId, sizes.messages, from, until, sizes.conversations]);
    }
    await sql.query('drop table inbox');
    return inbox;
  } finally {
    sql.release();
  }
}

async function seedOwner(sql: pg.ClientBase, name: string, sizes: Sizes): Promise<Inbox> {
  const [organizationId, apiKey] = [uuidv7(), newCredential('kk_')];
  const [channels, members, tags] = [0, 1, 2].map(() => [uuidv7(), uuidv7()]) as [string[], string[], string[]];
  await sql.query('insert into organizations (id, name) values ($1, $2)', [organizationId, name]);
  await sql.query(`insert into api_keys (id, organization_id, name, hash, scopes) values ($1, $2, 'bench', $3, $4)`, [
    ...[uuidv7(), organizationId, sha256(apiKey), scopes],
  ]);
  await sql.query(
    `insert into channels (id, organization_id, provider, name, phone_number_id, account_id, display_phone, status, access_token, rate)
     select id, $1, 'messaging_app', 'Bench', $3 || id::text, 'bench', '', 'connected', '', 80 from unnest($2::uuid[]) id`,
    [organizationId, channels, name],
  );
  await sql.query(
    `with u as (insert into users (id, email, name) select id, id::text || '@example.com', 'Member' from unnest($2::uuid[]) id)
     insert into memberships (organization_id, user_id, role) select $1, id, 'owner' from unnest($2::uuid[]) id`,
    [organizationId, members],
  );
  await sql.query(
    'insert into tags (id, organization_id, name) select x.id, $1, x.name from unnest($2::uuid[], $3::text[]) as x(id, name)',
    [organizationId, tags, tagNames],
  );
  return { organizationId, apiKey, channels, members, tags, ...sizes };
}

/** Conversations by chance. */
export async function conversationsOf(pool: pg.Pool, { organizationId }: Inbox, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from conversations where organization_id = $1 order by hashint8(extract(epoch from last_message_at)::int8) limit $2',
    [organizationId, count],
  );
  return rows.map(({ id }) => id);
}
