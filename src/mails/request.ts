import { uuidv7 } from '../platform/ids.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { sendMailJob } from './jobs.ts';
import type { MailKind } from './mail.entity.ts';

export type MailRequest = {
  organizationId: string;
  kind: MailKind;
  recipient: string;
  /** What the text names; src/mails/texts.ts says which. Stands in the clear: nothing secret. */
  data: Record<string, string>;
  /** The one-time token of the mail's link. */
  token: string;
};

/** Has a mail sent once the caller's transaction has committed. The token is kept sealed, and only until then. */
export async function requestMail(
  tx: Tx,
  secrets: Secrets,
  { organizationId, kind, recipient, data, token }: MailRequest,
): Promise<void> {
  const id = uuidv7();
  await tx.query('insert into mails (id, organization_id, kind, recipient, data, token) values ($1, $2, $3, $4, $5, $6)', [
    id,
    organizationId,
    kind,
    recipient,
    JSON.stringify(data),
    secrets.seal(token),
  ]);
  tx.enqueue(sendMailJob, organizationId, { mail_id: id });
}
