import { cut } from '../platform/cut.ts';
export type MailText = { subject: string; text: string; html: string };

/** A name chosen by a user cannot add lines to a mail. */
const oneLine = (value: string) => cut(value.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), 200);

export const oneLineEach = (data: Record<string, string>) =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, oneLine(value)]));

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escaped = (text: string) => text.replace(/[&<>"']/g, (mark) => marks[mark]!);

export const page = (subject: string, paragraphs: string[]) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(subject)}</title></head>
<body>
${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')}
</body>
</html>
`;

const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
/** Undefined for what is no time. */
export const momentOf = (time: string) => (Number.isNaN(Date.parse(time)) ? undefined : `${moment.format(new Date(time))} UTC`);
