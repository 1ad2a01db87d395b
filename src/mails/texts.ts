import type { LinkKind } from './mail.entity.ts';
import { escaped, type MailText, momentOf, oneLineEach, page } from './wording.ts';

/** `data` is plain text: invitation `{organization, invited_by, role, expires_at}`, password_reset `{name, expires_at}`. */
export type MailFacts = { kind: LinkKind; data: Record<string, string>; link: string };

type Parts = { subject: string; greeting: string; lead: string; action: string; end: string };

export function mailText({ kind, data, link }: MailFacts): MailText {
  const parts = partsOf[kind](oneLineEach(data));
  return { subject: parts.subject, text: plain(parts, link), html: html(parts, link) };
}

const partsOf: Record<LinkKind, (data: Record<string, string>) => Parts> = {
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

const html = ({ subject, greeting, lead, action, end }: Parts, link: string) =>
  page(subject, [
    escaped(greeting),
    escaped(lead),
    `<a href="${escaped(link)}">${escaped(action)}</a>`,
    `Or copy this address into your browser:<br>${escaped(link)}`,
    escaped(end),
  ]);

const until = (time: string) => (momentOf(time) ? `, until ${momentOf(time)}` : '');
