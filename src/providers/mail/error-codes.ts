import { type ProviderError, ProviderFailed, ProviderRefused } from '../errors.ts';

/** nodemailer's error. Its texts often repeat the address: never pass them on. */
type SmtpFault = { code?: string; originalCode?: string; command?: string; responseCode?: number; response?: string };

/** The commands where the server judges this mail. Other refusals are about us and may end. */
const aboutTheMail: Record<string, string> = {
  'MAIL FROM': 'the sender',
  'RCPT TO': 'the recipient',
  DATA: 'the mail',
};
/** The server wants a login or TLS first: a fault of MAIL_URL, after any command. */
const aboutTheLogin = [530, 534, 535, 538];

/** 5xx about the mail is final. All else is tried again, even a lost answer: a repeated mail does no harm. */
export function sortedMailError(error: unknown): ProviderError {
  const { code, originalCode, command = '', responseCode, response } = (error ?? {}) as SmtpFault;
  if (!responseCode) {
    // nodemailer found no valid address and sent nothing.
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

/** RFC 3463: `5.1.1` after the reply code. */
const enhancedCode = (response = '') => /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
