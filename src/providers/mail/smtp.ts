import { createTransport } from 'nodemailer';
import { parseMailUrl } from '../../platform/config/mail-url.ts';
import { sortedMailError } from './error-codes.ts';
import type { Mail } from './provider.ts';

/** A mail server checks what it was given before it says yes: the whole exchange may take this many times one answer. */
const wholeExchange = 4;

/** Mail by SMTP: few connections, kept for the next mail, a limit on every wait, every fault sorted. Says nothing to any log. */
export function smtpMail({ url, timeoutMs }: { url: string; timeoutMs: number }): { mail: Mail; close(): void } {
  const { host, port, isSecure, startTls, credentials } = parseMailUrl(url);
  const transport = createTransport({
    pool: true,
    maxConnections: 5,
    // Repeating is the ledger's affair.
    maxRequeues: 0,
    host,
    port,
    secure: isSecure,
    ...(!isSecure && (startTls === 'required' ? { requireTLS: true } : { ignoreTLS: true })),
    // Forced: a server that offers no login is not the one the credentials are for.
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password }, forceAuth: true }),
    connectionTimeout: Math.min(10_000, timeoutMs),
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: Math.min(10_000, timeoutMs),
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  });
  // Without a listener a failed connection would end the process; whoever waits for the mail hears of it.
  transport.on('error', () => undefined);

  return {
    mail: {
      async send({ to, from, subject, text, html, messageId }) {
        try {
          await transport.sendMail({
            from,
            // As an object it is one recipient, whatever commas it holds.
            to: { name: '', address: to },
            subject,
            text,
            html,
            messageId,
            headers: { 'Auto-Submitted': 'auto-generated' },
            signal: AbortSignal.timeout(timeoutMs * wholeExchange),
          });
        } catch (error) {
          throw sortedMailError(error);
        }
      },
    },
    close: () => transport.close(),
  };
}
