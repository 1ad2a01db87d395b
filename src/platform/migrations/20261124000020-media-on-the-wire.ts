import { Migration } from '@mikro-orm/migrations';
import { manyRowsEach, organization } from './columns.ts';

/** Files of received messages that wait to be fetched, and what the provider calls the files that were sent. */
export class MediaOnTheWire extends Migration {
  override name = '20261124000020-media-on-the-wire';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    this.addSql('drop table media_uploads');
    this.addSql('drop table media_fetches');
  }
}

const up = [
  // For `jobs check`: a row only while a job waits to fetch the file. An index on the messages would cost each of them.
  `create table media_fetches (
     ${organization},
     message_id uuid not null,
     constraint media_fetches_pkey primary key (organization_id, message_id),
     foreign key (organization_id, message_id) references messages (organization_id, id) on delete cascade)`,

  `create table media_uploads (
     ${organization},
     asset_id uuid not null,
     phone_number_id text not null,
     media_id text not null,
     uploaded_at timestamptz not null default clock_timestamp(),
     constraint media_uploads_pkey primary key (organization_id, asset_id, phone_number_id),
     foreign key (organization_id, asset_id) references media_assets (organization_id, id) on delete cascade)`,
  'create index media_uploads_age on media_uploads (uploaded_at)',

  ...manyRowsEach('media_fetches', 'media_uploads'),
];
