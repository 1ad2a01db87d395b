import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant, timestamp } from '../platform/database/columns.ts';

export const mailKinds = ['invitation', 'password_reset'] as const;
export type MailKind = (typeof mailKinds)[number];

export const Mail = defineEntity({
  name: 'Mail',
  tableName: 'mails',
  properties: {
    ...tenant(),
    kind: p.enum(mailKinds),
    recipient: p.text(),
    data: p.json<Record<string, string>>(),
    /** The one-time token of the mail's link, sealed. null once the mail is sent. */
    token: p.text().strictNullable(),
    sent_at: timestamp().strictNullable(),
    failed_at: timestamp().strictNullable(),
    ...created(),
  },
});
