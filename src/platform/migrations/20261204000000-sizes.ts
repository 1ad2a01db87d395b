import { Migration } from '@mikro-orm/migrations';

const sizes = [
  ['automation_rules', 'draft_bytes', 'octet_length(draft::text)'],
  ['campaigns', 'content_bytes', 'octet_length(variants::text) + octet_length(audience::text)'],
  ['staff', 'hours_bytes', 'octet_length(weekly_hours::text) + octet_length(overrides::text)'],
] as const;

/** How large a row is, written with it: a page asks for the sizes of its rows, and read up to a hundred drafts of a megabyte for them. */
export class Sizes extends Migration {
  override name = '20261204000000-sizes';

  override up() {
    for (const [table, column, bytes] of sizes)
      this.addSql(`alter table ${table} add column ${column} int not null generated always as (${bytes}) stored`);
  }

  override down() {
    for (const [table, column] of sizes) this.addSql(`alter table ${table} drop column ${column}`);
  }
}
