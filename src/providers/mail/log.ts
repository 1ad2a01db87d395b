import type { Log } from '../../platform/log.ts';
import type { Mail } from './provider.ts';

/** Used without a mail server. A log must never show the link or the recipient. */
export const logMail = (log: Log): Mail => ({
  async send({ mailId, kind }) {
    log.warn({ mail_id: mailId, kind }, 'a mail was not sent: MAIL_URL is not set');
  },
});
