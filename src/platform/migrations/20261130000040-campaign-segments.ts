import { Migration } from '@mikro-orm/migrations';
import { manyRowsEach, organization } from './columns.ts';

/** Which segments the campaigns name that have not ended. */
export class CampaignSegments extends Migration {
  override name = '20261130000040-campaign-segments';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    this.addSql('drop table campaign_segments');
  }
}

const up = [
  `create table campaign_segments (
     ${organization},
     campaign_id uuid not null,
     segment_id uuid not null,
     primary key (organization_id, campaign_id, segment_id),
     foreign key (organization_id, campaign_id) references campaigns (organization_id, id) on delete cascade,
     foreign key (organization_id, segment_id) references segments (organization_id, id))`,
  'create index campaign_segments_segment on campaign_segments (organization_id, segment_id)',
  ...manyRowsEach('campaign_segments'),
];
