import { Migration } from '@mikro-orm/migrations';

/** When the provider told the quality and the category of a template, by its own clock: as `told_at` is of the status. */
export class TemplateNews extends Migration {
  override name = '20261129000000-template-news';

  override up() {
    this.addSql('alter table templates add column quality_told_at timestamptz, add column category_told_at timestamptz');
  }

  override down() {
    this.addSql('alter table templates drop column category_told_at, drop column quality_told_at');
  }
}
