import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, organization, person, tenant, times } from './columns.ts';

/** What is known of a person, what they allow, and what happens to it: found, merged, blocked, forgotten. */
export class Contacts extends Migration {
  override name = '20261121000030-contacts';

  override up() {
    for (const statement of statements) this.addSql(statement);
  }

  override down() {
    for (const table of tables.toReversed()) this.addSql(`drop table ${table}`);
    for (const name of ['searchable(text)', 'fold(text)']) this.addSql(`drop function ${name}`);
    for (const name of ['btree_gin', 'pg_trgm', 'unaccent']) this.addSql(`drop extension ${name}`);
  }
}

const tables = [
  'contacts',
  'contact_identities',
  'contact_notes',
  'tags',
  'contact_tags',
  'contact_consents',
  'contact_suppressions',
  'contact_permission_history',
  'suppressed_addresses',
  'contact_merges',
  'contact_duplicates',
  'contact_blocks',
  'contact_erasures',
];

const consentChannel = `channel text not null check (channel in ('messaging_app', 'email', 'sms', 'voice'))`;
const consentStatus = `status text not null check (status in ('granted', 'denied', 'pending'))`;
const suppressionChannel = `channel text not null check (channel in ('all', 'messaging_app', 'email', 'sms', 'voice'))`;
const suppressionReason = `reason text not null check (reason in ('unsubscribed', 'complaint', 'bounced', 'blocked', 'manual'))`;

const statements = [
  'create extension if not exists unaccent',
  'create extension if not exists pg_trgm',
  'create extension if not exists btree_gin',
  // Case, accents and width do not matter in a search. Immutable as long as nobody edits the rules of unaccent.
  `create function fold(given text) returns text language sql immutable strict parallel safe
     return casefold(unaccent('unaccent'::regdictionary, normalize(given, NFKC)) collate pg_unicode_fast)`,
  // As text of ASCII: pg_trgm knows other letters only where the database's locale does, which in a cluster of initdb's locale C it does not.
  `create function searchable(given text) returns text language sql immutable strict parallel safe
     return encode(convert_to(fold(given), 'UTF8'), 'escape')`,

  // In search a space stands before each word of the name, a line break before each phone (digits) and email.
  `create table contacts (
     ${tenant},
     name text not null default '',
     phone_number text not null default '',
     email text not null default '',
     external_source text not null default '',
     external_id text not null default '',
     custom_fields jsonb not null default '{}' check (jsonb_typeof(custom_fields) = 'object'),
     other_addresses text not null default '',
     search text not null generated always as (' ' || searchable(name || E'\\n' || ltrim(phone_number, '+') || E'\\n' || email || other_addresses)) stored,
     ${times})`,
  // Whether a search is of a frequent word decides between its index and a walk in the order of the list.
  'alter table contacts alter search set statistics 1000',
  'create index contacts_list on contacts (organization_id, created_at, id)',
  'create index contacts_updated on contacts (organization_id, updated_at, id)',
  'create index contacts_name on contacts (organization_id, fold(name), id)',
  'create index contacts_search on contacts using gin (organization_id, search gin_trgm_ops)',
  'create index contacts_custom_fields on contacts using gin (organization_id, custom_fields jsonb_path_ops)',

  `create table contact_identities (
     ${tenant},
     ${person},
     type text not null check (type in ('phone', 'messaging_app', 'messaging_app_id', 'email', 'external_id')),
     source text not null default '',
     value text not null,
     ${created},
     constraint contact_identities_value unique (organization_id, type, source, value))`,
  'create index contact_identities_contact on contact_identities (organization_id, contact_id)',

  `create table contact_notes (
     ${tenant},
     ${person},
     body text not null,
     author text not null,
     ${times})`,
  'create index contact_notes_list on contact_notes (organization_id, contact_id, created_at, id)',

  `create table tags (
     ${tenant},
     name text not null,
     ${created})`,
  'create unique index tags_name on tags (organization_id, fold(name))',
  'create index tags_list on tags (organization_id, created_at, id)',
  `create table contact_tags (
     ${organization},
     ${person},
     tag_id uuid not null,
     ${created},
     constraint contact_tags_pkey primary key (organization_id, contact_id, tag_id),
     foreign key (organization_id, tag_id) references tags (organization_id, id) on delete cascade)`,
  'create index contact_tags_tag on contact_tags (organization_id, tag_id, contact_id)',

  `create table contact_consents (
     ${tenant},
     ${person},
     ${consentChannel},
     ${consentStatus},
     source text not null default '',
     proof text not null default '',
     changed_at timestamptz not null default clock_timestamp(),
     ${created},
     constraint contact_consents_channel unique (organization_id, contact_id, channel))`,
  `create table contact_suppressions (
     ${tenant},
     ${person},
     ${suppressionChannel},
     ${suppressionReason},
     expires_at timestamptz,
     ${times},
     constraint contact_suppressions_channel unique (organization_id, contact_id, channel))`,
  // Every change of either, oldest first by id: what was decided, by whom, from which proof.
  `create table contact_permission_history (
     ${tenant},
     ${person},
     kind text not null check (kind in ('consent', 'suppression')),
     ${suppressionChannel},
     state text not null check (state in ('granted', 'denied', 'pending', 'suppressed', 'lifted')),
     reason text not null default '',
     source text not null default '',
     proof text not null default '',
     expires_at timestamptz,
     actor text not null,
     ${created})`,
  'create index contact_permission_history_list on contact_permission_history (organization_id, contact_id, created_at, id)',
  // Who was forgotten and must still not be written to: an HMAC of the address (HASH_KEY), never the address.
  `create table suppressed_addresses (
     ${organization},
     hash bytea not null,
     ${suppressionChannel},
     ${suppressionReason},
     expires_at timestamptz,
     ${created},
     constraint suppressed_addresses_pkey primary key (organization_id, hash, channel))`,

  // A contact that became part of another: its id answers 404 and names the survivor. Events of its conversations that ended with it still tell of the person.
  `create table contact_merges (
     ${organization},
     merged_id uuid not null,
     ${person},
     actor text not null,
     ${created},
     gone_conversations uuid[] not null default '{}',
     constraint contact_merges_pkey primary key (organization_id, merged_id))`,
  'create index contact_merges_contact on contact_merges (organization_id, contact_id)',
  `create table contact_duplicates (
     ${tenant},
     ${person},
     other_id uuid not null,
     reason text not null,
     ${created},
     check (contact_id < other_id),
     constraint contact_duplicates_pair unique (organization_id, contact_id, other_id),
     foreign key (organization_id, other_id) references contacts (organization_id, id) on delete cascade)`,
  'create index contact_duplicates_list on contact_duplicates (organization_id, created_at, id)',
  'create index contact_duplicates_other on contact_duplicates (organization_id, other_id)',

  // One row a channel and address: a phone (digits), or the provider's user id where there is none. change_id: what was asked last, none yet;
  // blocked_at: since when the provider blocks, as far as we know.
  `create table contact_blocks (
     ${tenant},
     channel_id uuid not null,
     ${person},
     address text not null,
     phone text not null default '',
     user_id text not null default '',
     status text not null check (status in ('pending', 'blocked', 'unblocking', 'unblocked', 'failed')),
     change_id uuid,
     failure jsonb,
     blocked_at timestamptz,
     ${times},
     constraint contact_blocks_address unique (organization_id, channel_id, address),
     foreign key (organization_id, channel_id) references channels (organization_id, id) on delete cascade)`,
  'create index contact_blocks_contact on contact_blocks (organization_id, contact_id)',
  'create index contact_blocks_list on contact_blocks (organization_id, channel_id, blocked_at, id) where blocked_at is not null',

  // What is left to forget after the contact has gone: the person's addresses, sealed, until the job has searched for them.
  `create table contact_erasures (
     ${tenant},
     erased_id uuid not null,
     addresses text not null,
     ${created})`,

  ...manyRowsEach(...tables),
];
