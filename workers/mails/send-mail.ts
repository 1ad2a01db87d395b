import { sendMailJob } from '../../src/mails/jobs.ts';
import { linkOf } from '../../src/mails/links.ts';
import type { MailKind } from '../../src/mails/mail.entity.ts';
import { mailText } from '../../src/mails/texts.ts';
import { domainOf } from '../../src/platform/config/mail-url.ts';
import { query } from '../../src/platform/database/query.ts';
import { handle } from '../handler.ts';

type MailRow = { kind: MailKind; recipient: string; data: Record<string, string>; token: string | null; sent_at: Date | null };

/** Nothing is claimed: a worker that dies after the server took the mail sends it again, with the same Message-ID and a link that works once. */
export const sendMail = handle(sendMailJob, async ({ mail_id }, context) => {
  const { config, em, providers, secrets } = context;
  const [mail] = await query<MailRow>(em, 'select kind, recipient, data, token, sent_at from mails where id = $1', [mail_id]);
  if (!mail || mail.sent_at) return context.finish();
  if (!mail.token) return context.fail({ code: 'internal', message: 'The mail has no link to send' });
  const link = linkOf(config, mail.kind, secrets.open(mail.token));
  await context.outside(() =>
    providers.mail.send({
      mailId: mail_id,
      kind: mail.kind,
      to: mail.recipient,
      from: config.mailFrom,
      messageId: `<${mail_id}@${domainOf(config.mailFrom)}>`,
      ...mailText({ kind: mail.kind, data: mail.data, link }),
    }),
  );
  return context.finish(async (tx) => {
    await tx.query('update mails set sent_at = clock_timestamp(), token = null where id = $1 and sent_at is null', [mail_id]);
  });
});
