import { uuidv7 } from '../platform/ids.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { sendMailJob } from './jobs.ts';
import { Mail, type MailKind } from './mail.entity.ts';

export type MailRequest = {
  kind: MailKind;
  recipient: string;
  /** The values in the text (texts.ts). Stored unsealed: no secrets. */
  data: Record<string, string>;
  token: string;
};

/** The mail is sent after the commit. Its token is stored sealed until then. */
export async function requestMail(tx: OwnTx, secrets: Secrets, { token, ...mail }: MailRequest): Promise<void> {
  const id = uuidv7();
  await tx.insert(Mail, { ...mail, id, token: secrets.seal(token), sent_at: null, failed_at: null });
  tx.enqueue(sendMailJob, { mail_id: id });
}
