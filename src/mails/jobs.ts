import Joi from 'joi';
import { now } from '../platform/database/columns.ts';
import { AppError } from '../platform/errors.ts';
import { uuid } from '../platform/ids.ts';
import { backoff, job } from '../platform/ledger/job.ts';
import { Mail, noticeKinds } from './mail.entity.ts';

export const sendMailJob = job<{ mail_id: string }>({
  name: 'mails.send',
  queue: 'default',
  payload: Joi.object({ mail_id: uuid }),
  subjectType: 'mail',
  subject: 'mail_id',
  // More than an hour and a half in all: greylisting and most repairs take less.
  delayMs: backoff(8),
  operation: false,
  /** Keeps the sealed token, so that a retry by hand can still send the mail. */
  async failed(tx, { mail_id }) {
    await tx.own.update(Mail, { id: mail_id, sent_at: null }, { failed_at: now() });
  },
  async revived(tx, { mail_id }) {
    const unsent = { id: mail_id, sent_at: null };
    const withLink = await tx.own.update(Mail, { ...unsent, token: { $ne: null } }, { failed_at: null });
    const notices = await tx.own.update(Mail, { ...unsent, kind: { $in: [...noticeKinds] } }, { failed_at: null });
    if (withLink + notices === 0) throw new AppError('conflict', 'The mail has been sent, or has no link left to send');
  },
  // SQL: a part of the statement of `jobs check`.
  openSubjects: `
    select organization_id, id
      from mails
     where sent_at is null
       and failed_at is null`,
});
