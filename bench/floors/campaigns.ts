import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { transactions } from './transactions.ts';

type Copied = { organizationId: string; channelId: string; campaignId: string; group: string };

/** The least that must be written: all of them at once. */
export const copiedAudience = (sql: pg.Pool, { organizationId, channelId, campaignId, group }: Copied) =>
  sql.query(
    `insert into campaign_recipients (organization_id, campaign_id, id, contact_id, channel_id, variant_id, zone, due_at)
     select $1, $2, uuidv7(), k.id, $3, 'a', 'UTC', now()
       from contacts k
      where k.organization_id = $1 and k.custom_fields @> jsonb_build_object('group', $4::text)
     on conflict (organization_id, campaign_id, contact_id) where contact_id is not null and not is_extra do nothing`,
    [organizationId, campaignId, channelId, group],
  );

const batch = 50;

const due = `select r.id, r.contact_id, k.name, i.value as phone, v.id as conversation_id, v.status
  from campaign_recipients r
  join contacts k on k.organization_id = $1 and k.id = r.contact_id
  join contact_consents n on n.organization_id = $1 and n.contact_id = k.id and n.channel = 'messaging_app' and n.status = 'granted'
  join contact_identities i on i.organization_id = $1 and i.contact_id = k.id and i.type = 'messaging_app'
  left join conversations v on v.organization_id = $1 and v.channel_id = $3 and v.contact_id = k.id
  where r.organization_id = $1 and r.campaign_id = $2 and r.channel_id = $3 and r.zone = 'UTC' and r.status = 'pending' and r.due_at <= now()
    and not exists (select 1 from contact_suppressions s where s.organization_id = $1 and s.contact_id = k.id)
  order by r.due_at, r.id limit ${batch}`;
const lock = `select pg_advisory_xact_lock(hashtextextended('conversation:' || x, 0)) from unnest($1::uuid[]) x order by x`;
const begin = `insert into conversations (id, organization_id, channel_id, contact_id, status, preview, awaited_recipient_id, last_message_at)
  select x.v, $1, $2, x.c, 'open', $6, x.r, now() from unnest($3::uuid[], $4::uuid[], $5::uuid[]) as x(v, c, r)`;
const touch = `update conversations v set status = case when v.status = 'resolved' then 'open' else v.status end, preview = $4,
    awaited_recipient_id = x.r, last_message_at = now(), updated_at = now()
  from unnest($2::uuid[], $3::uuid[]) as x(v, r) where v.organization_id = $1 and v.id = any($2::uuid[]) and v.id = x.v`;
const messages = `insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, to_phone, content, campaign_id)
  select x.m, $1, $2, x.v, x.c, 'outbound', 'template', 'queued', x.p, x.t, $3
    from unnest($4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::jsonb[]) as x(m, v, c, p, t)`;
const jobs = `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, lane, pool, class, state, check_at)
  select x.j, $1, 'messages.send', 'bulk-messages', jsonb_build_object('message_id', x.m), 'message', x.m, 'conversation:' || x.v, $2, 1, 'waiting', now() + interval '5 s'
    from unnest($3::uuid[], $4::uuid[], $5::uuid[]) as x(j, m, v)`;
const events = `with e as (
    insert into events (id, organization_id, type, subject_type, subject_id, data)
    select x.id, $1, x.type, 'conversation', x.v, x.data from unnest($2::uuid[], $3::text[], $4::uuid[], $5::jsonb[]) as x(id, type, v, data)
    returning id, type)
  insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state)
  select uuidv7(), $1, e.id, w.id, 'pending' from e join webhook_endpoints w on w.organization_id = $1 and e.type = any(w.event_types)`;
const queued = `update campaign_recipients r set status = 'queued', message_id = x.m, queued_at = now(), attempts = r.attempts + 1
  from unnest($2::uuid[], $3::uuid[]) as x(id, m)
  where r.organization_id = $1 and r.id = any($2::uuid[]) and r.id = x.id and r.status = 'pending'`;

type Due = { id: string; contact_id: string; name: string; phone: string; conversation_id: string | null; status: string | null };
type Sender = { organizationId: string; channelId: string };

/** Fifty at a time, in one transaction: locks, conversations, messages, jobs, events and recipients, each a set. */
export function fedByHand(pool: pg.Pool, { organizationId, channelId }: Sender, campaignId: string) {
  const inTransaction = transactions(pool);
  return async () => {
    for (;;) {
      const { rows } = await pool.query<Due>({ name: 'due', text: due, values: [organizationId, campaignId, channelId] });
      if (rows.length === 0) return;
      const all = rows.map((row) => ({ ...row, talk: row.conversation_id ?? uuidv7(), message: uuidv7(), job: uuidv7() }));
      const begun = all.filter((row) => row.conversation_id === null);
      const known = all.filter((row) => row.conversation_id !== null);
      const contents = all.map(({ name }) => ({
        name: 'offer',
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: name }] }],
      }));
      const news = [
        ...begun.map(({ talk, contact_id }) => ({
          type: 'conversation.created',
          talk,
          data: { conversation_id: talk, contact_id, channel_id: channelId, status: 'open' },
        })),
        ...all.map(({ talk, status }) => ({
          type: 'conversation.updated',
          talk,
          data: { conversation_id: talk, status: status ?? 'open', changed: ['preview'] },
        })),
      ];
      const talks = all.map(({ talk }) => talk);
      const ids = all.map(({ message }) => message);
      await inTransaction(async (client) => {
        const run = (name: string, text: string, ...values: unknown[]) => client.query({ name, text, values });
        await run('lock', lock, talks);
        const [places, people] = [begun.map(({ talk }) => talk), begun.map(({ contact_id }) => contact_id)];
        await run(
          'begin',
          begin,
          organizationId,
          channelId,
          places,
          people,
          begun.map(({ id }) => id),
          'offer',
        );
        await run(
          'touch',
          touch,
          organizationId,
          known.map(({ talk }) => talk),
          known.map(({ id }) => id),
          'offer',
        );
        const [contacts, phones] = [all.map(({ contact_id }) => contact_id), all.map(({ phone }) => phone)];
        await run('messages', messages, organizationId, channelId, campaignId, ids, talks, contacts, phones, contents);
        await run(
          'jobs',
          jobs,
          organizationId,
          `channel:${channelId}`,
          all.map(({ job }) => job),
          ids,
          talks,
        );
        const told = [news.map(() => uuidv7()), news.map(({ type }) => type), news.map(({ talk }) => talk)];
        await run(
          'events',
          events,
          organizationId,
          ...told,
          news.map(({ data }) => data),
        );
        await run(
          'queued',
          queued,
          organizationId,
          all.map(({ id }) => id),
          ids,
        );
      });
    }
  };
}
