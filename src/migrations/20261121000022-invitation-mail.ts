import { Migration } from '@mikro-orm/migrations';

/** Whether an invitation's link went to the mailbox only: then who has it has the email. And open ones are found by email. */
export class InvitationMail extends Migration {
  override name = '20261121000022-invitation-mail';

  override up() {
    this.addSql('alter table invitations add column is_mailed boolean not null default false');
    this.addSql('create index invitations_email on invitations (email) where accepted_at is null and revoked_at is null');
  }

  override down() {
    this.addSql('drop index invitations_email');
    this.addSql('alter table invitations drop column is_mailed');
  }
}
