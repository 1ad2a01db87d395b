import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { lookAtPair, mergeContacts, mergeLocks } from '../../../src/contacts/merging/merge.ts';
import { contactReferences } from '../../../src/contacts/references.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { channel } from '../../support/factories/channel.ts';
import { contact } from '../../support/factories/contact.ts';
import { conversation } from '../../support/factories/conversation.ts';
import { message } from '../../support/factories/message.ts';
import { type House, openHouse } from '../../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Every column that holds the id of a row of a table, from the catalogue, with what the database does when that row goes. */
const referencesTo = (table: string) =>
  house.sql<{ name: string; on_delete: string }>(
    `select c.conrelid::regclass || '.' || a.attname as name, case c.confdeltype when 'c' then 'cascade' when 'n' then 'set null' else 'no action' end as on_delete
       from pg_constraint c, unnest(c.conkey) k join pg_attribute a on a.attnum = k
      where c.contype = 'f' and c.confrelid = $1::regclass and a.attrelid = c.conrelid and a.attname <> 'organization_id' order by 1`,
    [table],
  );
const nameOf = ({ table, column }: { table: string; column: string }) => `${table}.${column}`;

test('every foreign key to contacts has its line, and the database does what it says', async () => {
  const listed = contactReferences
    .filter(({ erase }) => erase !== 'withdraw')
    .map((reference) => ({ name: nameOf(reference), on_delete: reference.erase }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  expect(await referencesTo('contacts')).toEqual(listed);
  const columns = await house.sql<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public' and column_name = 'contact_id'`,
  );
  for (const { name } of columns) expect([name, contactReferences.map(nameOf).includes(name)]).toEqual([name, true]);
});

test('messages, notes, tags, deals, records and tasks hang on a conversation: a merge moves nothing else', async () => {
  expect((await referencesTo('conversations')).map(({ name }) => name)).toEqual([
    'conversation_notes.conversation_id',
    'conversation_tags.conversation_id',
    'deal_conversations.conversation_id',
    'deals.source_conversation_id',
    'messages.conversation_id',
    'record_links.conversation_id',
    'task_targets.conversation_id',
  ]);
});

/** A row through each reference: of the contact, about the third one, on the channel. */
const rows: Record<string, string> = {
  'contact_notes.contact_id': `insert into contact_notes (id, organization_id, contact_id, body, author) values (uuidv7(), :organization, :contact, 'Note', 'cli')`,
  'contact_tags.contact_id': `with t as (insert into tags (id, organization_id, name) values (uuidv7(), :organization, 'vip') returning id) insert into contact_tags (organization_id, contact_id, tag_id) select :organization, :contact, id from t`,
  'contact_consents.contact_id': `insert into contact_consents (id, organization_id, contact_id, channel, status) values (uuidv7(), :organization, :contact, 'email', 'granted')`,
  'contact_suppressions.contact_id': `insert into contact_suppressions (id, organization_id, contact_id, channel, reason) values (uuidv7(), :organization, :contact, 'sms', 'manual')`,
  'contact_permission_history.contact_id': `insert into contact_permission_history (id, organization_id, contact_id, kind, channel, state, actor) values (uuidv7(), :organization, :contact, 'consent', 'email', 'granted', 'cli')`,
  'contact_blocks.contact_id': `insert into contact_blocks (id, organization_id, channel_id, contact_id, address, status) values (uuidv7(), :organization, :channel, :contact, '1650', 'blocked')`,
  'contact_merges.contact_id': `insert into contact_merges (organization_id, merged_id, contact_id, actor) values (:organization, uuidv7(), :contact, 'cli')`,
  'contact_duplicates.contact_id': `insert into contact_duplicates (id, organization_id, contact_id, other_id, reason) values (uuidv7(), :organization, :contact, :third, 'same_person')`,
  'deal_contacts.contact_id': `with d as (insert into deals (id, organization_id, title, status, currency_code, home_currency_at_write) values (uuidv7(), :organization, 'Deal', 'open', 'USD', 'USD') returning id) insert into deal_contacts (organization_id, deal_id, contact_id) select :organization, id, :contact from d`,
  'task_targets.contact_id': `with t as (insert into crm_tasks (id, organization_id, title) values (uuidv7(), :organization, 'Call') returning id) insert into task_targets (id, organization_id, task_id, contact_id) select uuidv7(), :organization, id, :contact from t`,
  'record_links.contact_id': `with t as (insert into object_types (organization_id, id, kind, label, plural_label, display_field) values (:organization, uuidv7(), 'thing', 'Thing', 'Things', 'name') returning id), r as (insert into object_relations (organization_id, id, type_id, name, inverse_name, to_kind, cardinality) select :organization, uuidv7(), id, 'people', 'things', 'contact', 'many_to_many' from t returning id, type_id), x as (insert into records (organization_id, id, type_id) select :organization, uuidv7(), type_id from r returning id) insert into record_links (organization_id, id, relation_id, record_id, contact_id, is_single_from, is_single_to) select :organization, uuidv7(), r.id, x.id, :contact, false, false from r, x`,
  'campaign_recipients.contact_id': `with c as (insert into campaigns (organization_id, id, name) values (:organization, uuidv7(), 'Spring') returning id) insert into campaign_recipients (organization_id, id, campaign_id, contact_id, channel_id) select :organization, uuidv7(), id, :contact, :channel from c`,
  'automation_runs.contact_id': `with r as (insert into automation_rules (organization_id, id, name, draft) values (:organization, uuidv7(), 'Welcome', '{}') returning id) insert into automation_runs (organization_id, id, rule_id, version, trigger, subject_type, subject_id, contact_id) select :organization, uuidv7(), id, 1, 'manual', 'contact', :contact, :contact from r`,
  'flow_responses.contact_id': `insert into flow_responses (id, organization_id, message_id, contact_id, conversation_id, channel_id, response) select uuidv7(), :organization, id, :contact, conversation_id, :channel, '{}' from messages where contact_id = :contact`,
  'segment_members.contact_id': `with s as (insert into segments (id, organization_id, name, kind) values (uuidv7(), :organization, 'Guests', 'static') returning id) insert into segment_members (organization_id, segment_id, contact_id) select :organization, id, :contact from s`,
  'media_assets.contact_id': `insert into media_assets (id, organization_id, storage_key, kind, source, mime_type, size_bytes, sha256, contact_id) values (uuidv7(), :organization, '', 'image', 'inbound', 'image/png', 1, '', :contact)`,
  'orders.contact_id': `insert into orders (organization_id, id, order_no, contact_id, currency, delivery_fee_amount, discount_amount, subtotal_amount, total_amount) values (:organization, uuidv7(), '1', :contact, 'USD', 0, 0, 0, 0)`,
  'draft_orders.contact_id': `insert into draft_orders (organization_id, id, contact_id, content) values (:organization, uuidv7(), :contact, '{}')`,
  'bookings.contact_id': `with s as (insert into services (organization_id, id, name, duration_minutes) values (:organization, uuidv7(), 'Cut', 30) returning id), w as (insert into staff (organization_id, id, name, timezone) values (:organization, uuidv7(), 'Ann', 'UTC') returning id), o as (insert into orders (organization_id, id, order_no, contact_id, currency, delivery_fee_amount, discount_amount, subtotal_amount, total_amount) values (:organization, uuidv7(), '2', null, 'USD', 0, 0, 0, 0) returning id) insert into bookings (organization_id, id, order_id, service_id, staff_id, contact_id, starts_at, ends_at, during, timezone) select :organization, uuidv7(), o.id, s.id, w.id, :contact, '2027-01-01T10:00Z', '2027-01-01T11:00Z', '[2027-01-01T10:00Z,2027-01-01T11:00Z)', 'UTC' from s, w, o`,
  'discount_uses.contact_id': `with d as (insert into discounts (organization_id, id, code, kind, value) values (:organization, uuidv7(), 'C', 'fixed', 1) returning id), o as (insert into orders (organization_id, id, order_no, contact_id, currency, delivery_fee_amount, discount_amount, subtotal_amount, total_amount) values (:organization, uuidv7(), '3', null, 'USD', 0, 0, 0, 0) returning id) insert into discount_uses (organization_id, discount_id, order_id, contact_id) select :organization, d.id, o.id, :contact from d, o`,
  'idempotency_keys.contact_id': `insert into idempotency_keys (organization_id, method, path, key, body_hash, status, reply, contact_id) values (:organization, 'POST', '/', 'k', '', 201, '', :contact)`,
};
/** These the factories write. The pair is stood in for by its other column. */
const factoryMade = [
  'contact_identities.contact_id',
  'conversations.contact_id',
  'messages.contact_id',
  'contact_duplicates.other_id',
];

test('a row through each of them is the survivor’s after a merge', async () => {
  const { organizationId } = house;
  const survivor = await contact(house.em(), organizationId, { phone: '+16505550001' });
  const merged = await contact(house.em(), organizationId, { phone: '+16505550002' });
  const third = await contact(house.em(), organizationId, { phone: '+16505550003' });
  const made = await channel(house.em(), organizationId);
  const talk = await conversation(house.em(), organizationId, { channel: made, contact: merged });
  await message(house.em(), organizationId, talk, { direction: 'inbound' });
  const ids: Record<string, string> = { organization: organizationId, contact: merged.id, third: third.id, channel: made.id };
  for (const statement of Object.values(rows)) await house.sql(statement.replace(/:([a-z]+)/g, (_, name) => `'${ids[name]}'`));
  expect(contactReferences.map(nameOf).sort()).toEqual([...Object.keys(rows), ...factoryMade].sort());
  const asked = { id: merged.id, otherId: survivor.id };
  await house.ledger.transact(
    { look: () => lookAtPair(ownRows(house.database, organizationId), asked), locks: mergeLocks },
    (tx) => mergeContacts(tx.of(organizationId), 'cli', asked),
  );
  const countOf = async ({ table, column }: { table: string; column: string }, id: string) =>
    (await house.sql<{ n: number }>(`select count(*)::int as n from ${table} where ${column} = $1`, [id]))[0]!.n;
  for (const reference of contactReferences) {
    expect([nameOf(reference), await countOf(reference, merged.id)]).toEqual([nameOf(reference), 0]);
    if (reference.column === 'other_id') continue;
    expect([nameOf(reference), await countOf(reference, survivor.id)]).toEqual([nameOf(reference), expect.any(Number)]);
    expect([nameOf(reference), (await countOf(reference, survivor.id)) > 0]).toEqual([nameOf(reference), true]);
  }
  expect(await countOf({ table: 'contact_duplicates', column: 'other_id' }, third.id)).toBe(1);
});
