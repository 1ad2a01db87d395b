import { Migration } from '@mikro-orm/migrations';
import { manyRowsEach, organization, times } from './columns.ts';

/** What signs the requests that go to the endpoint of a flow. Sealed. */
export class FlowSecrets extends Migration {
  override name = '20261126000010-flow-secrets';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    this.addSql('drop table flow_secrets');
  }
}

const up = [
  `create table flow_secrets (
     ${organization},
     flow_id uuid not null,
     secret text not null,
     previous_secret text,
     previous_secret_until timestamptz,
     ${times},
     primary key (organization_id, flow_id),
     check ((previous_secret is null) = (previous_secret_until is null)),
     foreign key (organization_id, flow_id) references flows (organization_id, id) on delete cascade)`,
  'create index flow_secrets_overlap on flow_secrets (previous_secret_until) where previous_secret_until is not null',
  ...manyRowsEach('flow_secrets'),
];
