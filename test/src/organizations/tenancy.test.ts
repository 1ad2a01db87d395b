import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase } from '../../support/database.ts';

/** A reference, its columns in the order of the ones they point to. */
type Reference = { name: string; from: string; to: string; columns: string[]; targets: string[] };
type Index = { table: string; columns: string[]; predicate: string | null };

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

const rows = async <Row>(text: string): Promise<Row[]> => (await client.query(text)).rows as Row[];

const namesOf = (key: string, table: string) =>
  `array(select a.attname::text from unnest(c.${key}) with ordinality k(number, place)
     join pg_attribute a on a.attrelid = c.${table} and a.attnum = k.number order by k.place)`;

const references = () =>
  rows<Reference>(
    `select c.conname::text as name, f.relname::text as "from", t.relname::text as "to", ${namesOf('conkey', 'conrelid')} as columns,
       ${namesOf('confkey', 'confrelid')} as targets
     from pg_constraint c join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
     where c.contype = 'f' and c.connamespace = 'public'::regnamespace order by f.relname, c.conname`,
  );

/** By table: those of its columns that hold a uuid, or all. */
async function columnsOf(type?: string): Promise<Map<string, string[]>> {
  const found = await rows<{ table: string; columns: string[] }>(
    `select c.table_name::text as "table", array_agg(c.column_name::text) as columns from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' ${type ? `and c.data_type = '${type}'` : ''} group by 1 order by 1`,
  );
  return new Map(found.map(({ table, columns }) => [table, columns]));
}

async function tenantTables(): Promise<Set<string>> {
  const columns = await columnsOf();
  return new Set([...columns].filter(([, names]) => names.includes('organization_id')).map(([table]) => table));
}

/** References by which a row of one tenant could name a row of another. */
async function plainReferences(): Promise<string[]> {
  const tenants = await tenantTables();
  return (await references())
    .filter(({ from, to }) => tenants.has(from) && tenants.has(to))
    .filter(({ columns, targets }) => {
      const place = columns.indexOf('organization_id');
      return place < 0 || targets[place] !== 'organization_id';
    })
    .map(({ from, columns, to }) => `${from} (${columns.join(', ')}) -> ${to}`);
}

/** Columns that look like a reference and are none the database checks. */
async function looseIds(): Promise<string[]> {
  const [uuids, tenants, all] = [await columnsOf('uuid'), await tenantTables(), await references()];
  const isChecked = (table: string, column: string) =>
    all.some(({ from, columns }) => from === table && columns.includes(column) && columns.includes('organization_id'));
  return [...uuids]
    .filter(([table]) => tenants.has(table))
    .flatMap(([table, columns]) =>
      columns
        .filter((column) => column.endsWith('_id') && column !== 'organization_id' && !isChecked(table, column))
        .map((column) => `${table}.${column}`),
    )
    .sort();
}

/** Tenant tables whose organization need not be one. */
async function withoutOrganization(): Promise<string[]> {
  const all = await references();
  return [...(await tenantTables())].filter((table) => {
    const own = all.filter(({ from, columns }) => from === table && columns.includes('organization_id'));
    return own.length === 0;
  });
}

/**
 * References that no index finds from the other side. Its leading columns are among the reference's, and have all but the organization: two
 * tenants never share an id. One that is partial serves when it only leaves out rows that refer to nothing.
 */
async function unindexedReferences(): Promise<string[]> {
  const indexes = await rows<Index>(
    `select t.relname::text as "table", pg_get_expr(c.indpred, c.indrelid) as predicate,
       array(select a.attname::text from unnest(c.indkey::int2[]) with ordinality k(number, place)
         join pg_attribute a on a.attrelid = c.indrelid and a.attnum = k.number order by k.place) as columns
     from pg_index c join pg_class t on t.oid = c.indrelid where t.relnamespace = 'public'::regnamespace and c.indisvalid`,
  );
  const serves = ({ from, columns }: Reference, index: Index) => {
    if (index.table !== from) return false;
    if (index.predicate && !columns.some((column) => index.predicate === `(${column} IS NOT NULL)`)) return false;
    const stranger = index.columns.findIndex((column) => !columns.includes(column));
    const leading = stranger < 0 ? index.columns : index.columns.slice(0, stranger);
    const needed = columns.length > 1 ? columns.filter((column) => column !== 'organization_id') : columns;
    return needed.every((column) => leading.includes(column));
  };
  return (await references())
    .filter((reference) => !indexes.some((index) => serves(reference, index)))
    .map(({ from, columns }) => `${from} (${columns.join(', ')})`);
}

test('there is something to look at', async () => {
  expect((await tenantTables()).size).toBeGreaterThan(15);
  const found = (await references()).map(({ from, columns, to }) => `${from} (${columns.join(', ')}) -> ${to}`);
  expect(found).toContain('messages (organization_id, conversation_id) -> conversations');
  expect(found).toContain('bearer_tokens (organization_id, user_id) -> memberships');
});

test('a reference between two tenant tables has the organization on both sides', async () => {
  expect(await plainReferences()).toEqual([]);
});

test('every tenant table belongs to an organization that is there', async () => {
  // The nil organization has the pools that all organizations share.
  expect(await withoutOrganization()).toEqual(['pools']);
});

test('every id in a tenant table is a checked reference, or has a reason', async () => {
  const reasons: Record<string, string> = {
    'automation_counts.rule_id': 'counts outlive their rule',
    'automation_rules.tick_job_id': 'no record: which job is the present one, and it ends by itself',
    'automation_run_counts.rule_id': 'a count that is kept for seconds; of all rules it names none',
    'automation_runs.event_id': 'a run is kept whatever becomes of its event; events that live runs read are kept',
    'automation_runs.job_id': 'no record: which job is the present one, and it ends by itself',
    'automation_runs.subject_id': 'of many types, and the run outlives its subject',
    'automation_waits.subject_id': 'of many types; of a subject that is gone no event comes',
    'bearer_tokens.session_id': 'a session belongs to a person, and its token goes on after a log-out that ends only the session',
    'campaign_recipients.message_id': 'written with its message by one statement; nobody deletes messages',
    'campaigns.job_id': 'no record: which job is the present one, and it ends by itself',
    'contact_blocks.change_id': 'no record: which wish was the last one',
    'contact_erasures.erased_id': 'the contact is no more',
    'contact_export_chunks.first_id': 'no record: from which id on a piece of a file holds contacts',
    'contact_export_chunks.last_id': 'no record: until which id',
    'contact_exports.campaign_id': 'a file of recipients goes by itself after days, whatever became of the campaign',
    'contact_merges.merged_id': 'the contact is no more',
    'conversations.awaited_recipient_id': 'whose answer is awaited: a recipient that is gone awaits none',
    'crm_history.event_id': 'an event is purged before the history that names it',
    'crm_history.object_id': 'of three kinds; written under the lock of the object, and purged with it',
    'crm_tasks.reminder_job_id': 'no record: which job is the present one, and it ends by itself',
    'deal_revaluations.reached_id': 'no record: until which id it walks',
    'draft_orders.order_id': 'what it came to; the order names its draft once',
    'events.subject_id': 'of many types, and the event outlives its subject',
    'flow_responses.channel_id': 'a copy of its message’s, which is checked',
    'flow_responses.conversation_id': 'a copy of its message’s, which is checked; moved by a merge',
    'flow_responses.sent_message_id': 'a copy of what the answer says; nobody deletes messages',
    'idempotency_keys.contact_id': 'a stored reply outlives the contact it speaks of, withdrawn',
    'jobs.subject_id': 'of many types; what it names is read within the organization of the job',
    'memberships.user_id': 'a person is nobody’s: the membership is what ties one to an organization',
    'message_attempts.job_id': 'a try is kept longer than the job that made it',
    'messages.campaign_id': 'a message outlives its campaign, which goes in batches',
    'messages.context_message_id':
      'a copy of what the provider’s id says, found within the conversation; nobody deletes messages',
    'onboardings.channel_id': 'what it came to, which stays when the channel is gone',
    'order_items.product_id': 'a copy: an item outlives its product',
    'order_items.service_id': 'a copy: an item outlives its service',
    'orders.delivery_method_id': 'a copy: an order outlives the method it was sold with',
    'orders.delivery_timeslot_id': 'a copy: an order outlives its time slot',
    'orders.discount_id': 'a copy: an order outlives its discount',
    'orders.draft_order_id': 'an order outlives its draft',
    'orders.quote_id': 'a quote is deleted after two days, and the order keeps the rate it took',
    'record_links.object_id': 'computed from the one of five references that is set, each of them checked',
    'record_values.field_id': 'an index, written by whoever holds the field’s type; a removed field’s values go by its job',
    'stock_movements.order_id': 'written before its order, and found by its variant',
    'stock_movements.order_item_id': 'written before its item, which is found first',
    'task_targets.object_id': 'computed from the one of four references that is set, each of them checked',
    'webhook_attempts.endpoint_id':
      'a copy of its delivery’s, which is checked; a check of its own would be made for each attempt',
    'webhook_replays.last_id': 'no record: until which id it walks',
    'webhook_replays.left_id': 'an attempt was going on at this delivery: the walk comes back to it, if it is still there',
  };
  expect(await looseIds()).toEqual(Object.keys(reasons));
});

test('every reference is found by an index from its other side, or has a reason', async () => {
  const reasons: Record<string, string> = {
    'booking_calendars (organization_id, connection_id)': 'no connection is ever deleted',
    'booking_calendars (organization_id, video_connection_id)': 'no connection is ever deleted',
    'campaign_channels (organization_id, channel_id)': 'no channel is ever deleted',
    'campaign_recipients (organization_id, channel_id)': 'no channel is ever deleted',
    'deals (organization_id, pipeline_id, stage_id)': 'deals_stage has the stage, which is of one pipeline',
    'delivery_methods (organization_id, connection_id)':
      'no connection is ever deleted, and an organization has at most 100 methods',
    'object_fields (organization_id, type_id)':
      'object_fields_name leaves out removed fields: a few hundred rows, read when a type goes',
    'payments (organization_id, session_id)': 'no session is ever deleted',
    'provider_webhooks (organization_id, channel_id)': 'no channel is ever deleted, and the table is written for every webhook',
    'quotes (organization_id, connection_id)': 'no connection is ever deleted, and a quote lives for two days',
    'records (organization_id, type_id)': 'records_list and records_in_bin are two halves of one index',
    'refunds (organization_id, connection_id)': 'no connection is ever deleted',
    'staff (organization_id, calendar_connection_id)': 'no connection is ever deleted',
    'staff (organization_id, video_connection_id)': 'no connection is ever deleted',
  };
  expect(await unindexedReferences()).toEqual(Object.keys(reasons));
});

test('a table that keeps none of this is found by the same looks', async () => {
  // The database itself refuses a reference without the organization while the id alone is no key.
  await client.query('alter table contacts add unique (id)');
  await client.query(`create table drafts (id uuid primary key, organization_id uuid not null, author_id uuid,
    contact_id uuid references contacts (id), channel_id uuid, conversation_id uuid,
    foreign key (organization_id, channel_id) references channels (id, organization_id),
    foreign key (organization_id, conversation_id) references conversations (organization_id, id))`);
  await client.query('create index drafts_channel on drafts (channel_id) where author_id is not null');
  await client.query('create index drafts_conversation on drafts (conversation_id, organization_id)');
  await client.query('create table bookmarks (id uuid primary key, organization_id uuid not null)');
  const ofDrafts = (found: string[]) => found.filter((one) => one.startsWith('drafts'));
  expect(ofDrafts(await plainReferences())).toEqual([
    'drafts (contact_id) -> contacts',
    'drafts (organization_id, channel_id) -> channels',
  ]);
  expect(await withoutOrganization()).toEqual(['bookmarks', 'pools']);
  expect(ofDrafts(await looseIds())).toEqual(['drafts.author_id', 'drafts.contact_id']);
  expect(ofDrafts(await unindexedReferences())).toEqual(['drafts (contact_id)', 'drafts (organization_id, channel_id)']);
});
