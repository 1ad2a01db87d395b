import { Migration } from '@mikro-orm/migrations';

const pooled = ['fill_pool(text)', 'fill_pool_with_room(text)', 'reserve_slot(text, uuid, int)'];

/**
 * Most fills are asked for by a finish, and find nothing that waits: they now look before they lock the pool. A row that begins to wait
 * after the look has a fill of its own to come, after its commit.
 */
export class FillProbe extends Migration {
  override name = '20261121000011-fill-probe';

  override up() {
    this.addSql('alter function fill_pool(text) rename to fill_pool_with_room');
    this.addSql(`
create function fill_pool(the_pool text) returns table (id uuid, run int, queue text, name text, delay_ms float8) language plpgsql volatile as $$
begin
  if exists (select 1 from jobs where jobs.pool = the_pool and jobs.state = 'waiting') then
    return query select * from fill_pool_with_room(the_pool);
  end if;
end $$`);
    // Nothing refers to a job by its organization, and each job is written three times.
    this.addSql('alter table jobs drop constraint jobs_organization_id_id_key');
    // Planned when most rows wait, the look would read the table for a first hit, and go on doing so when there is none.
    for (const name of pooled) this.addSql(`alter function ${name} set enable_seqscan = off`);
  }

  override down() {
    this.addSql('alter table jobs add constraint jobs_organization_id_id_key unique (organization_id, id)');
    this.addSql('drop function fill_pool(text)');
    this.addSql('alter function fill_pool_with_room(text) rename to fill_pool');
    for (const name of ['fill_pool(text)', 'reserve_slot(text, uuid, int)'])
      this.addSql(`alter function ${name} reset enable_seqscan`);
  }
}
