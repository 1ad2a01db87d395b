import Joi from 'joi';
import { AppError } from '../platform/errors.ts';
import { uuid } from '../platform/ids.ts';
import { backoff, job } from '../platform/ledger/job.ts';

export const sendMailJob = job<{ mail_id: string }>({
  name: 'mails.send',
  queue: 'default',
  payload: Joi.object({ mail_id: uuid }),
  subjectType: 'mail',
  subject: 'mail_id',
  // Over an hour and a half: a server that greylists, or is being mended, takes it then.
  delayMs: backoff(8),
  operation: false,
  /** The token stays, sealed: once the mail server is mended the mail can be sent by a retry. */
  async failed(tx, { mail_id }) {
    await tx.query('update mails set failed_at = clock_timestamp() where id = $1 and sent_at is null', [mail_id]);
  },
  async revived(tx, { mail_id }) {
    const back = await tx.query(
      'update mails set failed_at = null where id = $1 and sent_at is null and token is not null returning id',
      [mail_id],
    );
    if (back.length === 0) throw new AppError('conflict', 'The mail has been sent, or has no link left to send');
  },
  openSubjects: 'select id from mails where sent_at is null and failed_at is null',
});
