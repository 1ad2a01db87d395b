import { createTransport } from 'nodemailer';
import { parseMailUrl } from '../../platform/config/mail-url.ts';
import { sortedMailError } from './error-codes.ts';
import type { Mail } from './provider.ts';

/** The whole exchange may take so many answers' time: a server checks a mail before it accepts it. */
const wholeExchange = 4;

export function smtpMail({ url, timeoutMs }: { url: string; timeoutMs: number }): { mail: Mail; close(): void } {
  const { host, port, isSecure, startTls, credentials } = parseMailUrl(url);
  const transport = createTransport({
    pool: true,
    maxConnections: 5,
    // The ledger retries.
    maxRequeues: 0,
    host,
    port,
    secure: isSecure,
    ...(!isSecure && (startTls === 'required' ? { requireTLS: true } : { ignoreTLS: true })),
    // A server that offers no login is not the one these credentials are for.
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password }, forceAuth: true }),
    connectionTimeout: Math.min(10_000, timeoutMs),
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: Math.min(10_000, timeoutMs),
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  });
  // Without a listener a failed connection would end the process; `send` reports it.
  transport.on('error', () => undefined);

  return {
    mail: {
      async send({ to, from, subject, text, html, messageId }) {
        try {
          await transport.sendMail({
            from,
            // As an object it is one recipient, even if it contains commas.
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
