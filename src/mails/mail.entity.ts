import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant, timestamp } from '../platform/database/columns.ts';

export const linkKinds = ['invitation', 'password_reset'] as const;
/** Mails that only tell something: they hold no one-time link. */
export const noticeKinds = ['endpoint_failing', 'endpoint_disabled'] as const;
const mailKinds = [...linkKinds, ...noticeKinds] as const;
export type LinkKind = (typeof linkKinds)[number];
export type NoticeKind = (typeof noticeKinds)[number];
export type MailKind = (typeof mailKinds)[number];

export const isNotice = (kind: MailKind): kind is NoticeKind => (noticeKinds as readonly string[]).includes(kind);

export const Mail = defineEntity({
  name: 'Mail',
  tableName: 'mails',
  properties: {
    ...tenant(),
    kind: p.enum(mailKinds),
    recipient: p.text(),
    data: p.json<Record<string, string>>(),
    /** The one-time token of the mail's link, sealed. null once the mail is sent, and in a notice. */
    token: p.text().strictNullable(),
    sent_at: timestamp().strictNullable(),
    failed_at: timestamp().strictNullable(),
    ...created(),
  },
});
