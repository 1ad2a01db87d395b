import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RunFilter } from '../../../../src/automation/runs/filter.ts';
import { listRuns } from '../../../../src/automation/runs/list.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { queryPlanned } from '../../../../src/platform/database/query.ts';
import type { Ask } from '../../../../src/platform/listing/paging.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { type Explaining, explaining } from '../../../support/indexes/explaining.ts';
import { filled } from '../../../support/indexes/filled.ts';
import { searchOfThings, type Uses, usesOf } from '../../../support/indexes/uses.ts';

/** The rule that a unique index holds; those of primary keys are their rows' names. */
const rules: Record<string, string> = {
  api_keys_hash: 'a key is one key',
  automation_runs_alone: 'a rule that has one run at a time has one live run for a subject',
  automation_runs_event: 'an event begins one run of a rule',
  automation_runs_occurrence: 'a moment of a schedule begins one run of a rule for a subject',
  automation_secrets_name: 'a secret has its name alone',
  bearer_tokens_hash: 'a token is one token',
  bookings_checkin: 'a check-in token is of one booking',
  bookings_order: 'an order has one booking',
  campaign_recipients_message: 'a message is of one recipient',
  campaign_recipients_once: 'a contact is one recipient of a campaign',
  channels_phone_number_id: 'a number is one channel',
  commerce_categories_slug: 'a slug is of one category',
  connection_webhooks_external: 'a webhook is taken once',
  connections_default: 'a kind has one default connection',
  contact_blocks_address: 'an address has one block on a channel',
  contact_consents_channel: 'a contact has one consent for a channel',
  contact_duplicates_pair: 'a pair is listed once',
  contact_identities_value: 'an identity is of one contact',
  contact_suppressions_channel: 'a contact has one suppression for a channel',
  conversations_group: 'a group has one conversation on a channel',
  conversations_pair: 'a contact has one conversation on a channel',
  deal_contacts_primary: 'a deal has one primary contact',
  deal_revaluations_open: 'an organization has one open revaluation',
  delivery_timeslots_label: 'a label of a delivery method is of one time slot',
  discounts_code: 'a code is of one discount',
  flow_keys_state: 'a channel has one key of each state',
  flow_responses_message: 'a message is one response',
  flow_versions_number: 'a flow has one version of each number',
  flows_name: 'a flow has its name in its account alone',
  flows_provider: "the provider's id is of one flow",
  invitations_hash: 'a link is of one invitation',
  invitations_open: 'an email has one open invitation',
  jobs_head: 'a lane has one head',
  media_assets_message_once: 'a message has one file',
  message_attempts_number: 'a message has one try of each number',
  messages_provider_message_id: "the provider's id is of one message",
  object_fields_name: 'a field of a kind has its name alone',
  object_relations_name: 'a relation of a kind has its name alone',
  object_types_kind: 'a kind is one type',
  password_resets_hash: 'a link is of one request',
  payment_sessions_live: 'an order has one live payment session',
  payment_sessions_reference: 'our reference is of one session',
  payments_provider: "the provider's id is of one payment",
  pipeline_stages_pipeline: 'what a deal refers to: a stage of its pipeline',
  pipelines_default: 'an organization has one default pipeline',
  order_items_position: 'an order has one item at a place',
  orders_checkout_token: 'the token of a customer opens one order',
  orders_draft: 'a draft becomes one order',
  orders_no: 'a number is given once',
  orders_source_reference: 'what an order is called elsewhere is unique',
  product_variants_sku: 'a sku is of one variant',
  products_slug: 'a slug is of one product',
  record_links_once: 'a record is linked to an object once by a relation',
  record_links_single_from: 'a record has one object, where its relation allows no more',
  record_links_single_to: 'an object has one record, where its relation allows no more',
  record_values_unique_number: 'a number of a unique field is of one record',
  record_values_unique_text: 'a text of a unique field is of one record',
  record_values_unique_time: 'a time of a unique field is of one record',
  segments_name: 'a segment has its name alone',
  sessions_hash: 'a cookie is of one session',
  shipments_live: 'an order has one live shipment',
  stock_movements_once: 'an item moves once in each way',
  tags_name: 'a tag has its name alone',
  task_targets_once: 'an object is a target of a task once',
  templates_name: 'a template has its name and language alone',
  users_email: 'an email is of one person',
  webhook_deliveries_once: 'an event is delivered once to an endpoint',
};

let house: House;
let ids: Awaited<ReturnType<typeof filled>>;
let plans: Explaining;
let uses: Uses;
beforeAll(async () => {
  house = await openHouse();
  ids = await filled(house);
  plans = await explaining(house);
  uses = usesOf(house, plans.database, ids);
});
afterAll(async () => {
  await plans.database.close();
  await house.close();
});

test('every index serves a statement or holds a rule, and no index is named that is not there', async () => {
  const indexes = await house.sql<{ name: string; is_unique: boolean; is_primary: boolean }>(`
    select i.indexrelid::regclass::text as name, i.indisunique as is_unique, i.indisprimary as is_primary
      from pg_index i
      join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
     order by 1`);
  const others = indexes.filter(({ is_primary }) => !is_primary);
  expect(others.filter(({ is_unique }) => is_unique).map(({ name }) => name)).toEqual(Object.keys(rules).sort());
  expect(others.filter(({ is_unique }) => !is_unique).map(({ name }) => name)).toEqual(Object.keys(uses).sort());
});

test('what is said to use an index has it in its plan', async () => {
  const unused: string[] = [];
  for (const [index, { by, run }] of Object.entries(uses)) {
    const found = await plans.indexesOf(run);
    if (!found.has(index)) unused.push(`${index} by ${by}: ${[...found].join(', ')}`);
  }
  expect(unused).toEqual([]);
});

test('runs of a contact or a subject in a frequent state are read by the contact or the subject', async () => {
  const own = ownRows(plans.database, house.organizationId);
  const ask: Ask = (text, params) => queryPlanned(plans.database, text, params);
  const indexesOf = async (filter: RunFilter) =>
    [...(await plans.indexesOf(() => listRuns(ask, own, filter, { limit: 10, includeTotal: false })))].filter((name) =>
      name.startsWith('automation_runs_'),
    );
  const state = 'succeeded';
  expect(await indexesOf({ contactId: ids.contactId, state })).toEqual(['automation_runs_contact']);
  const [one] = await house.sql<{ id: string }>(
    `select subject_id::text as id from automation_runs where state = $1 and subject_id <> $2 limit 1`,
    [state, ids.otherId],
  );
  expect(await indexesOf({ subjectType: 'deal', subjectId: one!.id, state })).toEqual(['automation_runs_subject']);
  expect(await indexesOf({ ruleId: ids.otherId, state })).toEqual(['automation_runs_rule_state']);
});

test('every text with an index of trigrams has finer statistics, so that a rare word never looks frequent', async () => {
  const searched = await house.sql<{ name: string; statistics: number }>(`
    select distinct a.attrelid::regclass::text as name, a.attstattarget::int as statistics
      from pg_index i
      join pg_opclass c on c.oid = any(i.indclass::oid[]) and c.opcname = 'gin_trgm_ops'
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey::int2[]) and a.attname = 'search'
     order by 1`);
  const tables = ['contacts', 'crm_tasks', 'deals', 'orders', 'products', 'records'];
  expect(searched).toEqual(tables.map((name) => ({ name, statistics: 1000 })));
});

test('of a group of filters the index of each is in the plan, and no table is read whole', async () => {
  const any = [
    { field: 'word', value: 'w7' },
    { field: 'size', operator: 'lt', value: 5 },
    { field: 'at', operator: 'gt', value: '2126-01-01T00:00:00Z' },
    { field: 'free', value: 'f9' },
    { field: 'custom_fields.tier', value: 11 },
  ];
  let found: { id: string }[] = [];
  const used = await plans.indexesOf(async () => {
    found = await searchOfThings(house, plans.database, { any: [any] });
  });
  expect(found).toHaveLength(7);
  expect([...used]).toEqual(
    expect.arrayContaining([
      'record_values_text',
      'record_values_number',
      'record_values_time',
      'records_fields',
      'records_custom_fields',
    ]),
  );
  const ownIndexes = await plans.indexesOf(() => searchOfThings(house, plans.database, { any: [any.slice(3)] }));
  expect([...ownIndexes]).toEqual(expect.arrayContaining(['records_fields', 'records_custom_fields']));
});
