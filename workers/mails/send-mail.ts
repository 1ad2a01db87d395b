import { sendMailJob } from '../../src/mails/jobs.ts';
import { linkOf } from '../../src/mails/links.ts';
import { isNotice, Mail } from '../../src/mails/mail.entity.ts';
import { noticeText } from '../../src/mails/notices.ts';
import { mailText } from '../../src/mails/texts.ts';
import { domainOf } from '../../src/platform/config/mail-url.ts';
import { now } from '../../src/platform/database/columns.ts';
import { statement } from '../../src/platform/database/statement.ts';
import { handle } from '../handler.ts';

const mailById = statement((select, { id }: { id: string }) =>
  select(Mail).select(['kind', 'recipient', 'data', 'token', 'sent_at']).where('id', '=', id),
);

/** Without a claim: after a crash the mail may be sent twice, with the same Message-ID and a one-time link. */
export const sendMail = handle(sendMailJob, async ({ mail_id }, context) => {
  const { config, own, providers, secrets } = context;
  const [mail] = await mailById(own, { id: mail_id });
  if (!mail || mail.sent_at) return context.finish();
  const { kind, data } = mail;
  if (!isNotice(kind) && !mail.token) return context.fail({ code: 'internal', message: 'The mail has no link to send' });
  const text = isNotice(kind)
    ? noticeText(kind, data)
    : mailText({ kind, data, link: linkOf(config, kind, secrets.open(mail.token!)) });
  await context.outside(() =>
    providers.mail.send({
      mailId: mail_id,
      kind,
      to: mail.recipient,
      from: config.mailFrom,
      messageId: `<${mail_id}@${domainOf(config.mailFrom)}>`,
      ...text,
    }),
  );
  return context.finish(async ({ own }) => {
    await own.update(Mail, { id: mail_id, sent_at: null }, { sent_at: now(), token: null });
  });
});
