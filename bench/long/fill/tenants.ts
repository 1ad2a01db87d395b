import type pg from 'pg';
import type { Tenant } from '../../tenant.ts';
import { peopleOf, type Sizes } from '../sizes.ts';

/** The first hundred organizations have three channels and endpoints each. The first of all is the one the bench asks as. */
const organizations = `
  create unlogged table fill.organizations as
  select n, case when n = 1 then $2::uuid else uuidv7(interval '-40 days') end as id,
         array(select case when n = 1 and k = 1 then $3::uuid else uuidv7(interval '-39 days') end
                 from generate_series(1, case when n <= 100 then 3 else 1 end) k) as channels,
         array(select case when n = 1 and k = 1 then $4::uuid else uuidv7(interval '-38 days') end
                 from generate_series(1, case when n <= 100 then 3 else 1 end) k) as endpoints
    from generate_series(1, $1::int) n`;

/** A few large, many small: the first one's share of N organizations is the fourth root of 1 / N, and 10 % of 10,000. */
const people = `
  create unlogged table fill.people as
  select p.n, o.n as organization, o.id as organization_id,
         o.channels[1 + p.n % cardinality(o.channels)] as channel_id,
         uuidv7(interval '-35 days') as contact_id, uuidv7(interval '-34 days') as conversation_id,
         '44' || lpad(p.n::text, 10, '0') as phone
    from (select n, case when n <= $1 then n else 1 + floor($1 * power(random(), 4))::int end as organization
            from generate_series(1, $2::int) n) p
    join fill.organizations o on o.n = p.organization
   order by p.n`;

const statements = [
  `insert into organizations (id, name) select id, 'Filled ' || n from fill.organizations where n > 1`,
  `insert into channels (id, organization_id, provider, name, phone_number_id, account_id, display_phone, status,
                         access_token, rate)
   select c.id, o.id, 'messaging_app', 'Filled', 'filled-' || o.n || '-' || c.k, 'filled', '', 'connected', '', 80
     from fill.organizations o, unnest(o.channels) with ordinality as c(id, k)
    where o.n > 1 or c.k > 1`,
  `insert into webhook_endpoints (id, organization_id, url, event_types, ordering, secret)
   select e.id, o.id, 'https://receiver.example/' || o.n, '{}', 'best_effort', ''
     from fill.organizations o, unnest(o.endpoints) with ordinality as e(id, k)
    where o.n > 1 or e.k > 1`,
  `insert into pools (organization_id, id, width, rate, tat, filled_at)
   select organization_id, 'channel:' || id, 160, 80, now() - interval '1 hour', now() - interval '1 hour'
     from channels
   union all
   select organization_id, 'endpoint:' || id, 50, null, null, null
     from webhook_endpoints
   on conflict do nothing`,
  `insert into contacts (id, organization_id, name, phone_number, created_at, updated_at)
   select contact_id, organization_id, 'Person ' || n, '+' || phone, now() - interval '35 days',
          now() - interval '35 days'
     from fill.people`,
  `insert into contact_identities (id, organization_id, contact_id, type, value, created_at)
   select uuidv7(interval '-35 days'), organization_id, contact_id, x.type, x.value, now() - interval '35 days'
     from fill.people, lateral (values ('phone', '+' || phone), ('messaging_app', phone)) as x(type, value)`,
  `insert into conversations (id, organization_id, channel_id, contact_id, status, last_inbound_at, last_message_at,
                              preview, created_at, updated_at)
   select conversation_id, organization_id, channel_id, contact_id, 'open', now() - n % 30 * interval '1 day', now(),
          'Thank you', now() - interval '34 days', now()
     from fill.people`,
];

/** Organizations with what they own, and who writes to them: what the rows of the long tables are drawn from. */
export async function fillTenants(client: pg.ClientBase, sizes: Sizes, { organizationId, channelId, endpointId }: Tenant) {
  await client.query('create schema fill');
  await client.query(organizations, [sizes.organizations, organizationId, channelId, endpointId]);
  await client.query(people, [sizes.organizations, peopleOf(sizes)]);
  await client.query('create index on fill.people (n); create index on fill.organizations (n)');
  await client.query('analyze fill.organizations, fill.people');
  for (const statement of statements) await client.query(statement);
}
