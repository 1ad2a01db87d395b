import { uuidv7 } from '../ids.ts';
import type { Tx } from '../ledger/transact.ts';
import type { Secrets } from '../secrets.ts';

type Mail = {
  organizationId: string;
  kind: 'invitation' | 'password_reset';
  recipient: string;
  data: Record<string, string>;
  token: string;
};
export async function requestMail(tx: Tx, secrets: Secrets, mail: Mail): Promise<void> {
  await tx.query('insert into mails (id, organization_id, kind, recipient, data, token) values ($1, $2, $3, $4, $5, $6)', [
    uuidv7(),
    mail.organizationId,
    mail.kind,
    mail.recipient,
    JSON.stringify(mail.data),
    secrets.seal(mail.token),
  ]);
}
