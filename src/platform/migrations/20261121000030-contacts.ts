import { Migration } from '@mikro-orm/migrations';

/** What is known of a person, what they allow, and what happens to it: found, merged, imported, blocked, forgotten. */
export class Contacts extends Migration {
  override name = '20261121000030-contacts';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const created = 'created_at timestamptz not null default clock_timestamp()';
const times = `${created}, updated_at timestamptz not null default clock_timestamp()`;
const tenant = 'id uuid primary key, organization_id uuid not null references organizations (id), unique (organization_id, id)';
/**
 * Of a table nobody refers to: no unique index of organization and id. The planner takes an organization it has no figures of for one of a
 * single row; any index that begins with the organization then looks as good as the right one, and the smallest is taken: each look would
 * read all the organization's rows.
 */
const own = 'id uuid primary key, organization_id uuid not null references organizations (id)';
/** Gone with the person. */
const person =
  'contact_id uuid not null, foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade';
const consentChannel = `channel text not null check (channel in ('messaging_app', 'email', 'sms', 'voice'))`;
const consentStatus = `status text not null check (status in ('granted', 'denied', 'pending'))`;
const suppressionChannel = `channel text not null check (channel in ('all', 'messaging_app', 'email', 'sms', 'voice'))`;
const suppressionReason = `reason text not null check (reason in ('unsubscribed', 'complaint', 'bounced', 'blocked', 'manual'))`;

/** Messages and conversations stay when the person is forgotten: without them. */
const forgets = (table: string) => [
  `alter table ${table} alter column contact_id drop not null`,
  `alter table ${table} drop constraint ${table}_organization_id_contact_id_fkey`,
  `alter table ${table} add constraint ${table}_contact foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete set null (contact_id)`,
];
const remembers = (table: string) => [
  `alter table ${table} drop constraint ${table}_contact`,
  `delete from ${table} where contact_id is null`,
  `alter table ${table} alter column contact_id set not null`,
  `alter table ${table} add constraint ${table}_organization_id_contact_id_fkey foreign key (organization_id, contact_id) references contacts (organization_id, id)`,
];

const up = [
  'create extension if not exists unaccent',
  'create extension if not exists pg_trgm',
  'create extension if not exists btree_gin',
  // Case, accents and width do not matter in a search. Immutable as long as nobody edits the rules of unaccent.
  `create function fold(given text) returns text language sql immutable strict parallel safe
     return casefold(unaccent('unaccent'::regdictionary, normalize(given, NFKC)) collate pg_unicode_fast)`,
  // As text of ASCII: pg_trgm knows other letters only where the database's locale does, which in a cluster of initdb's locale C it does not.
  `create function searchable(given text) returns text language sql immutable strict parallel safe
     return encode(convert_to(fold(given), 'UTF8'), 'escape')`,

  // The contact first: with the organization in front the planner takes it, while it has no figures of a new organization, for one as good as
  // the unique index to look an identity up, and reads all the organization's identities each time.
  'alter table contact_identities drop constraint contact_identities_organization_id_id_key',
  'drop index contact_identities_contact',
  'create index contact_identities_contact on contact_identities (contact_id, organization_id)',

  // In search a space stands before each word of the name, a line break before each phone (digits) and email.
  `alter table contacts add email text not null default '', add external_source text not null default '', add external_id text not null default '',
     add custom_fields jsonb not null default '{}' check (jsonb_typeof(custom_fields) = 'object'),
     add other_addresses text not null default ''`,
  `alter table contacts add search text not null generated always as
     (' ' || searchable(name || E'\\n' || ltrim(phone_number, '+') || E'\\n' || email || other_addresses)) stored`,
  // Whether a search is of a frequent word decides between its index and a walk in the order of the list.
  'alter table contacts alter search set statistics 1000',
  'create index contacts_list on contacts (organization_id, created_at, id)',
  'create index contacts_updated on contacts (organization_id, updated_at, id)',
  'create index contacts_name on contacts (organization_id, fold(name), id)',
  'create index contacts_search on contacts using gin (organization_id, search gin_trgm_ops)',
  'create index contacts_custom_fields on contacts using gin (organization_id, custom_fields jsonb_path_ops)',

  `create table contact_notes (${own}, ${person}, body text not null, author text not null, ${times})`,
  'create index contact_notes_list on contact_notes (organization_id, contact_id, created_at, id)',

  `create table tags (${tenant}, name text not null, ${created})`,
  'create unique index tags_name on tags (organization_id, fold(name))',
  'create index tags_list on tags (organization_id, created_at, id)',
  `create table contact_tags (organization_id uuid not null references organizations (id), ${person}, tag_id uuid not null, ${created},
     constraint contact_tags_pkey primary key (organization_id, contact_id, tag_id),
     foreign key (organization_id, tag_id) references tags (organization_id, id) on delete cascade)`,
  'create index contact_tags_tag on contact_tags (organization_id, tag_id, contact_id)',

  `create table contact_consents (${own}, ${person}, ${consentChannel}, ${consentStatus}, source text not null default '', proof text not null default '',
     changed_at timestamptz not null default clock_timestamp(), ${created}, constraint contact_consents_channel unique (organization_id, contact_id, channel))`,
  `create table contact_suppressions (${own}, ${person}, ${suppressionChannel}, ${suppressionReason}, expires_at timestamptz, ${times},
     constraint contact_suppressions_channel unique (organization_id, contact_id, channel))`,
  // Every change of either, oldest first by id: what was decided, by whom, from which proof.
  `create table contact_permission_history (${own}, ${person}, kind text not null check (kind in ('consent', 'suppression')), ${suppressionChannel},
     state text not null check (state in ('granted', 'denied', 'pending', 'suppressed', 'lifted')), reason text not null default '', source text not null default '',
     proof text not null default '', expires_at timestamptz, actor text not null, ${created})`,
  'create index contact_permission_history_list on contact_permission_history (organization_id, contact_id, created_at, id)',
  // Who was forgotten and must still not be written to: an HMAC of the address (HASH_KEY), never the address.
  `create table suppressed_addresses (organization_id uuid not null references organizations (id), hash bytea not null, ${suppressionChannel}, ${suppressionReason},
     expires_at timestamptz, ${created}, constraint suppressed_addresses_pkey primary key (organization_id, hash, channel))`,

  // A contact that became part of another: its id answers 404 and names the survivor. Events of its conversations that ended with it still tell of the person.
  `create table contact_merges (organization_id uuid not null references organizations (id), merged_id uuid not null, ${person}, actor text not null, ${created},
     gone_conversations uuid[] not null default '{}', constraint contact_merges_pkey primary key (organization_id, merged_id))`,
  'create index contact_merges_contact on contact_merges (organization_id, contact_id)',
  `create table contact_duplicates (${own}, ${person}, other_id uuid not null, reason text not null, ${created}, check (contact_id < other_id),
     constraint contact_duplicates_pair unique (organization_id, contact_id, other_id),
     foreign key (organization_id, other_id) references contacts (organization_id, id) on delete cascade)`,
  'create index contact_duplicates_list on contact_duplicates (organization_id, created_at, id)',
  'create index contact_duplicates_other on contact_duplicates (organization_id, other_id)',

  // One row a channel and address: a phone (digits), or the provider's user id where there is none. change_id: what was asked last, none yet;
  // blocked_at: since when the provider blocks, as far as we know.
  `create table contact_blocks (${own}, channel_id uuid not null, ${person}, address text not null, phone text not null default '', user_id text not null default '',
     status text not null check (status in ('pending', 'blocked', 'unblocking', 'unblocked', 'failed')), change_id uuid, failure jsonb, blocked_at timestamptz, ${times},
     constraint contact_blocks_address unique (organization_id, channel_id, address),
     foreign key (organization_id, channel_id) references channels (organization_id, id) on delete cascade)`,
  'create index contact_blocks_contact on contact_blocks (organization_id, contact_id)',
  'create index contact_blocks_list on contact_blocks (organization_id, channel_id, blocked_at, id) where blocked_at is not null',

  `create table contact_imports (${tenant}, state text not null check (state in ('uploading', 'queued', 'running', 'succeeded', 'failed')), actor text not null,
     bytes bigint not null default 0, checksum bytea, rows_done int not null default 0, created_count int not null default 0, updated_count int not null default 0,
     unchanged_count int not null default 0, failed_count int not null default 0, failure jsonb, ${times}, finished_at timestamptz)`,
  'create index contact_imports_list on contact_imports (organization_id, created_at, id)',
  `create index contact_imports_open on contact_imports (created_at) where state in ('uploading', 'queued', 'running')`,
  `create index contact_imports_ended on contact_imports (finished_at) where state in ('succeeded', 'failed')`,
  // The file as it came, in pieces; gone when the import has ended.
  `create table contact_import_chunks (organization_id uuid not null references organizations (id), import_id uuid not null, number int not null, bytes bytea not null,
     constraint contact_import_chunks_pkey primary key (organization_id, import_id, number),
     foreign key (organization_id, import_id) references contact_imports (organization_id, id) on delete cascade)`,
  'alter table contact_import_chunks alter column bytes set storage external',
  `create table contact_import_errors (${own}, import_id uuid not null, line int not null, column_name text not null, code text not null, message text not null, ${created},
     foreign key (organization_id, import_id) references contact_imports (organization_id, id) on delete cascade)`,
  'create index contact_import_errors_list on contact_import_errors (organization_id, import_id, line, id)',

  // `request`: what was asked for; `keys`: its custom fields, a column each; `position`: the sort keys of the last row written. Gone with its end.
  `create table contact_exports (${tenant}, state text not null check (state in ('queued', 'running', 'succeeded', 'failed')), actor text not null,
     request jsonb, keys jsonb, position jsonb, pieces int not null default 0, rows_done int not null default 0, bytes bigint not null default 0,
     failure jsonb, ${times}, finished_at timestamptz)`,
  'create index contact_exports_list on contact_exports (organization_id, created_at, id)',
  `create index contact_exports_ended on contact_exports (finished_at) where state in ('succeeded', 'failed')`,
  // The file, in pieces of whole rows, and the least and the greatest id of these.
  `create table contact_export_chunks (organization_id uuid not null references organizations (id), export_id uuid not null, number int not null, bytes bytea not null,
     first_id uuid, last_id uuid, constraint contact_export_chunks_pkey primary key (organization_id, export_id, number),
     foreign key (organization_id, export_id) references contact_exports (organization_id, id) on delete cascade)`,
  'alter table contact_export_chunks alter column bytes set storage external',

  // What is left to forget after the contact has gone: the person's addresses, sealed, until the job has searched for them.
  `create table contact_erasures (${tenant}, erased_id uuid not null, addresses text not null, ${created})`,

  ...forgets('messages'),
  ...forgets('conversations'),
  // What the provider's webhooks tell of the person on this channel.
  `alter table conversations add profile_name text not null default '', add profile_username text not null default '', add profile_phone text not null default '',
     add profile_user_id text not null default ''`,
  // Whom a stored reply speaks of: it is withdrawn when they are forgotten.
  'alter table idempotency_keys add contact_id uuid',
  'create index idempotency_keys_contact on idempotency_keys (organization_id, contact_id) where contact_id is not null',
];

const down = [
  'drop index idempotency_keys_contact',
  'alter table idempotency_keys drop column contact_id',
  'alter table conversations drop column profile_name, drop column profile_username, drop column profile_phone, drop column profile_user_id',
  ...remembers('messages'),
  ...remembers('conversations'),
  ...[
    'contact_erasures',
    'contact_export_chunks',
    'contact_exports',
    'contact_import_errors',
    'contact_import_chunks',
    'contact_imports',
    'contact_blocks',
    'contact_duplicates',
    'contact_merges',
    'suppressed_addresses',
    'contact_permission_history',
    'contact_suppressions',
    'contact_consents',
    'contact_tags',
    'tags',
    'contact_notes',
  ].map((table) => `drop table ${table}`),
  ...['contacts_list', 'contacts_updated', 'contacts_name', 'contacts_search', 'contacts_custom_fields'].map(
    (index) => `drop index ${index}`,
  ),
  `alter table contacts drop column search, drop column other_addresses, drop column custom_fields, drop column external_id, drop column external_source, drop column email`,
  'drop function searchable(text)',
  'drop index contact_identities_contact',
  'alter table contact_identities add constraint contact_identities_organization_id_id_key unique (organization_id, id)',
  'create index contact_identities_contact on contact_identities (organization_id, contact_id)',
  'drop function fold(text)',
  'drop extension btree_gin',
  'drop extension pg_trgm',
  'drop extension unaccent',
];
