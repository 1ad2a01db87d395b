import type { Log } from '../../platform/log.ts';
import type { Mail } from './provider.ts';

/** Where there is no mail server: says that there was a mail. Neither its link nor its reader may ever stand in a log. */
export const logMail = (log: Log): Mail => ({
  async send({ mailId, kind }) {
    log.warn({ mail_id: mailId, kind }, 'a mail was not sent: MAIL_URL is not set');
  },
});
