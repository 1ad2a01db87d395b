import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CompiledQuery } from 'kysely';
import pg from 'pg';
import type { Em } from '../../../../src/platform/database/database.ts';
import { brokenWebhooks, endedJobs, liveJobs, unappliedWebhooks } from '../../../../src/platform/metrics/figures.ts';
import { purges } from '../../../../src/platform/retention/purges.ts';
import { channel } from '../../../support/factories/channel.ts';
import { conversation } from '../../../support/factories/conversation.ts';
import { endpoint } from '../../../support/factories/endpoint.ts';
import { message } from '../../../support/factories/message.ts';
import { type House, openHouse } from '../../../support/house.ts';

type Plan = { 'Node Type': string; 'Relation Name'?: string; 'Index Name'?: string; 'Index Cond'?: string; Plans?: Plan[] };

const rows = 3_000;
let house: House;
let client: pg.Client;

/** A thousand times more young rows than old ones: what a table looks like when its purge runs every hour. */
beforeAll(async () => {
  house = await openHouse();
  client = new pg.Client({ connectionString: house.url });
  await client.connect();
  // Of one alone the key of its organization would be as good as an index by endpoint.
  const endpoints = await Promise.all(Array.from({ length: 10 }, () => endpoint(house.ledger.transact, house.organizationId)));
  const { id: channelId } = await channel(house.em(), house.organizationId);
  const age = `clock_timestamp() - n * interval '1 min'`;
  const fill = (insert: string, select: string) =>
    client.query(`insert into ${insert} select ${select} from generate_series(1, ${rows}) n`);
  const own = `'${house.organizationId}'::uuid`;
  await fill(
    'jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, check_at, finished_at, lane)',
    `uuidv7(), ${own}, 'toys.play', 'default', '{}', 'toy', uuidv7(), (array['done', 'failed', 'failed', 'blocked'])[1 + n % 4], ${age}, case when n % 4 < 3 then ${age} end, 'lane:' || n`,
  );
  await fill(
    'idempotency_keys (organization_id, method, path, key, body_hash, status, reply, created_at)',
    `${own}, 'POST', '/v1/messages', n::text, '', 201, '', ${age}`,
  );
  await fill(
    'provider_webhooks (id, organization_id, body, state, received_at, applied_at)',
    `uuidv7(), ${own}, '[]', (array['received', 'applied', 'applied', 'broken'])[1 + n % 4], ${age}, ${age}`,
  );
  await fill(
    'unmatched_statuses (id, organization_id, channel_id, provider_message_id, status, state, received_at)',
    `uuidv7(), ${own}, '${channelId}', 'wamid', '{}', (array['waiting', 'matched', 'dropped'])[1 + n % 3], ${age}`,
  );
  await fill(
    'events (id, organization_id, type, subject_type, subject_id, data, created_at)',
    `uuidv7(-n * interval '1 min'), ${own}, 'message.sent', 'message', uuidv7(), '{}', ${age}`,
  );
  await client.query(
    `insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state, finished_at)
     select uuidv7(), organization_id, id, ($1::uuid[])[1 + seq % 10], 'succeeded', created_at from events`,
    [endpoints.map(({ id }) => id)],
  );
  await client.query(
    `insert into webhook_attempts (id, organization_id, delivery_id, endpoint_id, number, duration_ms, created_at)
     select d.event_id, d.organization_id, d.id, d.endpoint_id, 1, 1, e.created_at from webhook_deliveries d join events e on e.id = d.event_id`,
  );
  const talk = await conversation(house.em(), house.organizationId);
  const messageId = await message(house.em(), house.organizationId, talk);
  await fill(
    'message_attempts (id, organization_id, message_id, number, trigger, outcome, started_at, created_at)',
    `uuidv7(-n * interval '1 min'), ${own}, '${messageId}', n, 'first', 'failed', ${age}, ${age}`,
  );
  await fill(
    'media_assets (id, organization_id, storage_key, kind, source, mime_type, size_bytes, sha256)',
    `uuidv7(-n * interval '1 min'), ${own}, n::text, 'image', 'upload', 'image/png', 1, ''`,
  );
  await client.query(
    `insert into media_uploads (organization_id, asset_id, phone_number_id, media_id, uploaded_at)
     select organization_id, id, '1', '2', uuid_extract_timestamp(id) from media_assets`,
  );
  await fill(
    'segments (id, organization_id, name, kind, deleted_at)',
    `uuidv7(), ${own}, n::text, 'static', case when n % 10 = 0 then ${age} end`,
  );
  await client.query(
    `insert into segment_members (organization_id, segment_id, contact_id)
     select organization_id, id, $1
       from segments`,
    [talk.contact.id],
  );
  await fill(
    'automation_rules (organization_id, id, name, draft, deleted_at)',
    `${own}, uuidv7(), n::text, '{}', case when n % 10 = 0 then ${age} end`,
  );
  await client.query(
    `insert into automation_runs (organization_id, id, rule_id, version, state, trigger, subject_type, subject_id, ended_at)
     select organization_id, uuidv7(), id, 1, 'succeeded', 'manual', 'contact', id, deleted_at
       from automation_rules`,
  );
  await client.query('vacuum analyze');
  await client.query('set enable_seqscan = off');
});
afterAll(async () => {
  await client.end();
  await house.close();
});

async function planOf(statement: string, params: readonly unknown[] = []): Promise<Plan[]> {
  const { rows: answer } = await client.query(`explain (format json) ${statement}`, [...params]);
  const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];
  return nodes(answer[0]['QUERY PLAN'][0].Plan);
}

/** What a step sends, taken down instead of sent. */
async function statementOf(step: (typeof purges)[number]['steps'][number]): Promise<CompiledQuery> {
  const sent: CompiledQuery[] = [];
  const answer = { deleted: 0, looked: 0, last: null, events: 0, deliveries: 0 };
  const em = {
    isInTransaction: () => true,
    getKysely: () => ({ executeQuery: async (one: CompiledQuery) => ({ rows: sent.push(one) && [answer] }) }),
  };
  await step.batch(em as unknown as Em, step.days(house.deps.config), 1_000);
  expect(sent).toHaveLength(1);
  return sent[0]!;
}

const indexesOf = (plan: Plan[]) => plan.flatMap((node) => node['Index Name'] ?? []);
const scanned = (plan: Plan[]) =>
  plan.filter((node) => node['Node Type'] === 'Seq Scan').flatMap((node) => node['Relation Name'] ?? []);

test.each([
  ['jobs', [['jobs_done'], ['jobs_failed']]],
  ['idempotency_keys', [['idempotency_keys_age']]],
  ['provider_webhooks', [['provider_webhooks_applied'], ['provider_webhooks_broken', 'jobs_subject']]],
  ['unmatched_statuses', [['unmatched_statuses_ended', 'jobs_subject']]],
  ['media_uploads', [['media_uploads_age']]],
  ['webhook_attempts', [['webhook_attempts_pkey']]],
  ['message_attempts', [['message_attempts_pkey']]],
  [
    'events',
    [['events_pkey', 'webhook_deliveries_once', 'jobs_subject', 'automation_runs_begun_by', 'automation_runs_woken_by']],
  ],
  ['flow_secrets', [['flow_secrets_overlap'], ['flow_keys_overlap']]],
  [
    'webhook_endpoints',
    [
      ['webhook_endpoints_overlap'],
      ['webhook_endpoints_failing', 'webhook_deliveries_endpoint', 'webhook_attempts_endpoint'],
      ['webhook_endpoints_deleted'],
    ],
  ],
  [
    'segments',
    [
      ['segments_deleted', 'segment_members_pkey'],
      ['segments_deleted', 'segment_members_pkey'],
    ],
  ],
  ['deals', [['deals_bin', 'crm_history_pkey']]],
  ['crm_tasks', [['crm_tasks_bin', 'crm_history_pkey', 'jobs_subject']]],
  ['records', [['records_bin', 'crm_history_pkey']]],
  [
    'automation_runs',
    [
      ['automation_runs_ended', 'jobs_subject'],
      ['automation_rules_deleted', 'automation_runs_rule'],
    ],
  ],
] as const)('the purge of %s finds what is old by an index and scans no table', async (table, wanted) => {
  const { steps } = purges.find((one) => one.table === table)!;
  expect(steps).toHaveLength(wanted.length);
  for (const [index, step] of steps.entries()) {
    const { sql, parameters } = await statementOf(step);
    const plan = await planOf(sql, parameters);
    expect(scanned(plan)).toEqual([]);
    expect(indexesOf(plan)).toEqual(expect.arrayContaining([...wanted[index]!]));
    // An index read in its order alone would be read to its end for want of old rows: the age must be a condition on it.
    const aged = plan.filter((node) => node['Index Name'] === wanted[index]![0]);
    expect(aged.some((node) => / < /.test(node['Index Cond'] ?? ''))).toBe(true);
  }
});

test('every purge but that of the small table of heartbeats is among them', () => {
  // These belong to people, their logins and what they ask for: small, and each has an index on its age.
  const small = [
    // One campaign after the other.
    'campaigns',
    'connection_webhooks',
    'connection_consents',
    'webhook_replays',
    'deal_revaluations',
    'onboardings',
    'draft_orders',
    'quotes',
    // Of hosts that rules call.
    'pools',
    'heartbeats',
    'sessions',
    'bearer_tokens',
    'password_resets',
    'mails',
    'login_limits',
    'contact_imports',
    'crm_imports',
    'contact_exports',
  ];
  const looked = [
    'jobs',
    'idempotency_keys',
    'provider_webhooks',
    'unmatched_statuses',
    'media_uploads',
    'webhook_attempts',
    'message_attempts',
    'events',
    'webhook_endpoints',
    'flow_secrets',
    'segments',
    'deals',
    'crm_tasks',
    'records',
    'automation_runs',
  ];
  expect(purges.map(({ table }) => table)).toEqual([...looked, ...small]);
});

test('what a purge deletes takes its children along by an index', async () => {
  const { rows: children } = await client.query(
    `select c.conname, c.conrelid::regclass::text as child from pg_constraint c
      where c.contype = 'f' and c.confdeltype = 'c' and c.confrelid = any($1::regclass[])`,
    [purges.flatMap(({ tables }) => tables)],
  );
  expect(children.map(({ child }) => child).sort()).toEqual([
    'automation_held',
    'automation_occurrences',
    'automation_rule_versions',
    'automation_steps',
    'automation_turns',
    'automation_waits',
    'campaign_channels',
    'campaign_segments',
    'contact_export_chunks',
    'contact_import_chunks',
    'contact_import_errors',
    'crm_import_chunks',
    'crm_import_errors',
    'deal_contacts',
    'deal_conversations',
    'record_enrichments',
    ...Array(4).fill('record_links'),
    'record_values',
    ...Array(3).fill('task_targets'),
    'webhook_attempts',
    'webhook_deliveries',
    'webhook_deliveries',
    'webhook_replays',
  ]);
  const [one] = await house.sql<{ id: string }>('select id from webhook_deliveries limit 1');
  for (const [statement, index] of [
    ['delete from webhook_deliveries where organization_id = $1 and event_id = $2', 'webhook_deliveries_once'],
    ['delete from webhook_deliveries where organization_id = $1 and endpoint_id = $2', 'webhook_deliveries_endpoint'],
    ['delete from automation_steps where organization_id = $1 and run_id = $2', 'automation_steps_pkey'],
    ['delete from webhook_replays where organization_id = $1 and endpoint_id = $2', 'webhook_replays_endpoint'],
    ['delete from webhook_attempts where organization_id = $1 and delivery_id = $2', 'webhook_attempts_delivery'],
    ['delete from contact_import_chunks where organization_id = $1 and import_id = $2', 'contact_import_chunks_pkey'],
    ['delete from contact_export_chunks where organization_id = $1 and export_id = $2', 'contact_export_chunks_pkey'],
    ['delete from crm_import_chunks where organization_id = $1 and import_id = $2', 'crm_import_chunks_pkey'],
    ['delete from crm_import_errors where organization_id = $1 and import_id = $2', 'crm_import_errors_list'],
    ['delete from contact_import_errors where organization_id = $1 and import_id = $2', 'contact_import_errors_list'],
  ] as const) {
    const plan = await planOf(statement, [house.organizationId, one!.id]);
    expect([scanned(plan), indexesOf(plan)]).toEqual([[], [index]]);
  }
});

test('each reference that deletes a child has an index that begins with its columns', async () => {
  const { rows } = await client.query(
    `select c.conrelid::regclass::text || ' ' || c.conname as missing
       from pg_constraint c
      where c.contype = 'f' and c.confdeltype = 'c' and c.confrelid = any($1::regclass[])
        and not exists (
          select 1
            from pg_index i
           where i.indrelid = c.conrelid
             and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)`,
    [purges.flatMap(({ tables }) => tables)],
  );
  expect(rows).toEqual([]);
});

test.each([
  ['live jobs', liveJobs, ['jobs']],
  ['ended jobs', endedJobs, ['jobs_done', 'jobs_failed']],
  ['unapplied bodies', unappliedWebhooks, ['provider_webhooks_unapplied']],
  ['broken bodies', brokenWebhooks, ['provider_webhooks_broken']],
])('the figure of %s reads an index', async (_what, statement, wanted) => {
  const plan = await planOf(statement);
  expect(scanned(plan).filter((table) => table !== 'pools')).toEqual([]);
  for (const index of wanted) expect(indexesOf(plan).some((one) => one.startsWith(index))).toBe(true);
});
