import { Migration } from '@mikro-orm/migrations';

/** Every attempt names its endpoint, those from before the column too: none is missing from the statistics. */
export class AttemptsEndpoint extends Migration {
  override name = '20261123000010-attempts-endpoint';

  override up() {
    this.addSql(`
      update webhook_attempts a
         set endpoint_id = d.endpoint_id
        from webhook_deliveries d
       where d.organization_id = a.organization_id
         and d.id = a.delivery_id
         and a.endpoint_id is null`);
    this.addSql('alter table webhook_attempts alter column endpoint_id set not null');
  }

  override down() {
    this.addSql('alter table webhook_attempts alter column endpoint_id drop not null');
  }
}
