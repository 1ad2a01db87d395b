import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, tenant } from './columns.ts';

/** Files of an organization: what each is and where it is stored. The bytes are in the storage (src/media/storage). */
export class MediaAssets extends Migration {
  override name = '20261124000010-media-assets';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    this.addSql('drop table media_usage');
    this.addSql('drop table media_assets');
  }
}

/** Deleted ones are in no list; their rows stay until their files are removed. */
const shown = 'where deleted_at is null';

const up = [
  `create table media_assets (
     ${tenant},
     storage_key text not null,
     kind text not null check (kind in ('image', 'video', 'audio', 'document', 'sticker')),
     source text not null check (source in ('upload', 'inbound')),
     mime_type text not null,
     declared_type text not null default '',
     size_bytes bigint not null,
     sha256 text not null,
     file_name text not null default '',
     message_id uuid,
     contact_id uuid,
     created_by text not null default '',
     ${created},
     deleted_at timestamptz,
     missing_since timestamptz,
     constraint media_assets_message foreign key (organization_id, message_id) references messages (organization_id, id)
       on delete set null (message_id),
     constraint media_assets_contact foreign key (organization_id, contact_id) references contacts (organization_id, id)
       on delete set null (contact_id))`,
  `create index media_assets_list on media_assets (organization_id, created_at, id) ${shown}`,
  `create index media_assets_kind on media_assets (organization_id, kind, created_at, id) ${shown}`,
  `create index media_assets_source on media_assets (organization_id, source, created_at, id) ${shown}`,
  `create index media_assets_contact on media_assets (organization_id, contact_id, created_at, id)
    where contact_id is not null`,
  // A message has one file: a second run of the job that fetches it finds the first one's.
  `create unique index media_assets_message_once on media_assets (organization_id, message_id)
    where message_id is not null`,
  'create index media_assets_deleted on media_assets (organization_id, id) where deleted_at is not null',
  'create index media_assets_missing on media_assets (missing_since) where missing_since is not null',

  // Of the files that are not deleted. Changed with them, in the same transaction: a sum over all of them would take too long.
  `create table media_usage (
     organization_id uuid not null references organizations (id),
     bytes bigint not null default 0 check (bytes >= 0),
     assets int not null default 0 check (assets >= 0),
     primary key (organization_id))`,

  ...manyRowsEach('media_assets', 'media_usage'),
];
