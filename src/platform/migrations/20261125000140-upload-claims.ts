import { Migration } from '@mikro-orm/migrations';

/** Of a burst of messages with one new file, one uploads it. */
export class UploadClaims extends Migration {
  override name = '20261125000140-upload-claims';

  override up() {
    this.addSql('alter table media_uploads alter media_id drop not null, add claimed_by uuid, add claimed_at timestamptz');
  }

  override down() {
    this.addSql('delete from media_uploads where media_id is null');
    this.addSql('alter table media_uploads alter media_id set not null, drop claimed_by, drop claimed_at');
  }
}
