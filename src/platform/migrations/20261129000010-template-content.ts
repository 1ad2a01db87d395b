import { Migration } from '@mikro-orm/migrations';

/** As of when the content of a template is known, so that a list that the provider gave before does not put an older one back. */
export class TemplateContent extends Migration {
  override name = '20261129000010-template-content';

  override up() {
    this.addSql('alter table templates add column content_at timestamptz');
  }

  override down() {
    this.addSql('alter table templates drop column content_at');
  }
}
