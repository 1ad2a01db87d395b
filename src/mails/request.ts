import { uuidv7 } from '../platform/ids.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { sendMailJob } from './jobs.ts';
import { Mail, type MailKind } from './mail.entity.ts';

export type MailRequest = {
  kind: MailKind;
  recipient: string;
  /** What the text names; src/mails/texts.ts says which. Stored unsealed: nothing secret. */
  data: Record<string, string>;
  /** The one-time token of the mail's link. */
  token: string;
};

/** Sends a mail after the caller's transaction has committed. The token is stored sealed until the mail is sent. */
export async function requestMail(tx: OwnTx, secrets: Secrets, { token, ...mail }: MailRequest): Promise<void> {
  const id = uuidv7();
  await tx.insert(Mail, { ...mail, id, token: secrets.seal(token), sent_at: null, failed_at: null });
  tx.enqueue(sendMailJob, { mail_id: id });
}
