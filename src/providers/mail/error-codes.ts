import { type ProviderError, ProviderFailed, ProviderRefused } from '../errors.ts';

/** What nodemailer says of a failure. Its message and response are the server's words, which often repeat the address: never passed on. */
type SmtpFault = { code?: string; originalCode?: string; command?: string; responseCode?: number; response?: string };

/** Where the server judges this very mail. A refusal of the connection or of the login is about us: later it may be another. */
const aboutTheMail: Record<string, string> = {
  'MAIL FROM': 'the sender',
  'RCPT TO': 'the recipient',
  DATA: 'the mail',
};
/** The server wants a login or TLS first: a matter of MAIL_URL, whatever command hears of it. */
const aboutTheLogin = [530, 534, 535, 538];

/** 5xx about the mail is final. All else may pass later, an answer lost after the mail included: a repeat of a mail harms nobody. */
export function sortedMailError(error: unknown): ProviderError {
  const { code, originalCode, command = '', responseCode, response } = (error ?? {}) as SmtpFault;
  if (!responseCode) {
    // Never on its way: nodemailer takes the address for none.
    if (code === 'EENVELOPE') return new ProviderRefused('The address is not one that mail can be sent to', { code });
    const cause = originalCode ?? code ?? 'failed';
    return new ProviderFailed(`No answer from the mail server (${cause})`, { code: cause });
  }
  const answered = [responseCode, enhancedCode(response)].filter(Boolean).join(' ');
  const options = { code: String(responseCode) };
  if (code === 'EAUTH' || aboutTheLogin.includes(responseCode))
    return new ProviderFailed(`The mail server did not accept the login of MAIL_URL (${answered})`, options);
  const judged = aboutTheMail[command];
  if (judged && responseCode >= 500) return new ProviderRefused(`The mail server refused ${judged} (${answered})`, options);
  return new ProviderFailed(`The mail server asks to try later (${answered})`, options);
}

/** RFC 3463, `5.1.1` after the reply code: what people look up. */
const enhancedCode = (response = '') => /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
