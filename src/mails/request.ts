import { uuidv7 } from '../platform/ids.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { sendMailJob } from './jobs.ts';
import { type LinkKind, Mail, type NoticeKind } from './mail.entity.ts';

export type NoticeRequest = {
  kind: NoticeKind;
  recipient: string;
  /** The values in the text (texts.ts). Stored unsealed: no secrets. */
  data: Record<string, string>;
};
export type MailRequest = Omit<NoticeRequest, 'kind'> & { kind: LinkKind; token: string };

/** The mail is sent after the commit. Its token is stored sealed until then. */
export const requestMail = (tx: OwnTx, secrets: Secrets, { token, ...mail }: MailRequest): Promise<void> =>
  insertMail(tx, { ...mail, token: secrets.seal(token) });

export const requestNotice = (tx: OwnTx, notice: NoticeRequest): Promise<void> => insertMail(tx, { ...notice, token: null });

type NewMail = Omit<NoticeRequest, 'kind'> & { kind: LinkKind | NoticeKind; token: string | null };

async function insertMail(tx: OwnTx, mail: NewMail) {
  const id = uuidv7();
  await tx.insert(Mail, { ...mail, id, sent_at: null, failed_at: null });
  tx.enqueue(sendMailJob, { mail_id: id });
}
