import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, organization, person, tenant, times } from './columns.ts';

/** Named sets of contacts: a stored listing, or members by hand. */
export class Segments extends Migration {
  override name = '20261130000010-segments';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const up = [
  // members_bound: at least as many as there are members. deleted_at: the purge deletes the members first.
  `create table segments (
     ${tenant},
     name text not null,
     kind text not null check (kind in ('dynamic', 'static')),
     description text not null default '',
     search text not null default '',
     filters jsonb not null default '[]',
     tags text[] not null default '{}',
     count int,
     counted_at timestamptz,
     members_bound int not null default 0,
     deleted_at timestamptz,
     ${times},
     check ((count is null) = (counted_at is null)))`,
  'create unique index segments_name on segments (organization_id, fold(name)) where deleted_at is null',
  'create index segments_list on segments (organization_id, created_at, id) where deleted_at is null',
  'create index segments_deleted on segments (deleted_at) where deleted_at is not null',

  `create table segment_members (
     ${organization},
     segment_id uuid not null,
     ${person},
     ${created},
     primary key (organization_id, segment_id, contact_id),
     foreign key (organization_id, segment_id) references segments (organization_id, id))`,
  'create index segment_members_contact on segment_members (organization_id, contact_id)',

  ...manyRowsEach('segments', 'segment_members'),
];

const down = ['drop table segment_members', 'drop table segments'];
