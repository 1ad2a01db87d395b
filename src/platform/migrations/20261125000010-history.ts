import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, organization } from './columns.ts';

/** What was changed in deals, tasks and records: from, to and by whom. */
export class History extends Migration {
  override name = '20261125000010-history';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const up = [
  // One row a revision of the object: each change raises it by one, under the object's lock.
  `create table crm_history (
     ${organization},
     object_kind text not null check (object_kind in ('deal', 'task', 'record')),
     object_id uuid not null,
     revision int not null,
     event_id uuid,
     actor text not null,
     changes jsonb not null,
     ${created},
     constraint crm_history_pkey primary key (organization_id, object_id, revision))`,

  ...manyRowsEach('crm_history'),
];

const down = ['drop table crm_history'];
