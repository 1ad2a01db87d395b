import type { MailKind } from './mail.entity.ts';

/** `data` is plain text: invitation `{organization, invited_by, role, expires_at}`, password_reset `{name, expires_at}`. */
export type MailFacts = { kind: MailKind; data: Record<string, string>; link: string };
export type MailText = { subject: string; text: string; html: string };

type Parts = { subject: string; greeting: string; lead: string; action: string; end: string };

export function mailText({ kind, data, link }: MailFacts): MailText {
  const lines = Object.fromEntries(Object.entries(data).map(([name, value]) => [name, oneLine(value)]));
  const parts = partsOf[kind](lines);
  return { subject: parts.subject, text: plain(parts, link), html: html(parts, link) };
}

const partsOf: Record<MailKind, (data: Record<string, string>) => Parts> = {
  invitation: ({ organization = '', invited_by = '', role = '', expires_at = '' }) => ({
    subject: `Your invitation to ${organization}`,
    greeting: 'Hello,',
    lead: `${invited_by || 'An administrator'} invites you to join ${organization} on Kanal${role ? ` with the role ${role}` : ''}.`,
    action: 'Accept the invitation',
    end: `The link works once${until(expires_at)}. If you did not expect it, you need not do anything.`,
  }),
  password_reset: ({ name = '', expires_at = '' }) => ({
    subject: 'Set a new password',
    greeting: name ? `Hello ${name},` : 'Hello,',
    lead: 'Somebody asked to set a new password for your Kanal account.',
    action: 'Set a new password',
    end: `The link works once${until(expires_at)}. If it was not you who asked, you need not do anything: your password stays as it is.`,
  }),
};

const plain = ({ greeting, lead, action, end }: Parts, link: string) =>
  `${greeting}\n\n${lead}\n\n${action}:\n${link}\n\n${end}\n`;

const html = ({ subject, greeting, lead, action, end }: Parts, link: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(subject)}</title></head>
<body>
<p>${escaped(greeting)}</p>
<p>${escaped(lead)}</p>
<p><a href="${escaped(link)}">${escaped(action)}</a></p>
<p>Or copy this address into your browser:<br>${escaped(link)}</p>
<p>${escaped(end)}</p>
</body>
</html>
`;

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (mark) => marks[mark]!);

/** A name chosen by a user cannot add lines to a mail. */
const oneLine = (value: string) =>
  value
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, 200);

const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
const until = (time: string) => (Number.isNaN(Date.parse(time)) ? '' : `, until ${moment.format(new Date(time))} UTC`);
