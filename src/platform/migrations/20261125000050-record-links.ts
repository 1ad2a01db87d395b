import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, tenant } from './columns.ts';

/** What records are related to. */
export class RecordLinks extends Migration {
  override name = '20261125000050-record-links';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    this.addSql('drop table record_links');
  }
}

const up = [
  // One of the other end's columns is set: the database refuses what is foreign or gone.
  `create table record_links (
     ${tenant},
     relation_id uuid not null,
     record_id uuid not null,
     contact_id uuid,
     conversation_id uuid,
     deal_id uuid,
     task_id uuid,
     to_record_id uuid,
     object_id uuid not null generated always as (coalesce(contact_id, conversation_id, deal_id, task_id, to_record_id)) stored,
     is_single_from boolean not null,
     is_single_to boolean not null,
     ${created},
     check (num_nonnulls(contact_id, conversation_id, deal_id, task_id, to_record_id) = 1),
     constraint record_links_once unique (organization_id, relation_id, record_id, object_id),
     foreign key (organization_id, relation_id) references object_relations (organization_id, id) on delete cascade,
     foreign key (organization_id, record_id) references records (organization_id, id) on delete cascade,
     foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete cascade,
     foreign key (organization_id, conversation_id) references conversations (organization_id, id) on delete cascade,
     foreign key (organization_id, deal_id) references deals (organization_id, id) on delete cascade,
     foreign key (organization_id, task_id) references crm_tasks (organization_id, id) on delete cascade,
     foreign key (organization_id, to_record_id) references records (organization_id, id) on delete cascade)`,
  // Cardinality: a record has one object, an object one record.
  'create unique index record_links_single_from on record_links (organization_id, relation_id, record_id) where is_single_from',
  'create unique index record_links_single_to on record_links (organization_id, relation_id, object_id) where is_single_to',
  'create index record_links_record on record_links (organization_id, record_id, relation_id, id)',
  'create index record_links_object on record_links (organization_id, relation_id, object_id, id)',
  ...['contact_id', 'conversation_id', 'deal_id', 'task_id', 'to_record_id'].map(
    (column) =>
      `create index record_links_${column.replace('_id', '')} on record_links (organization_id, ${column}) where ${column} is not null`,
  ),

  ...manyRowsEach('record_links'),
];
