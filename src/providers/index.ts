import type { Registry } from 'prom-client';
import type { Config } from '../platform/config/config.ts';
import type { Log } from '../platform/log.ts';
import { logMail } from './mail/log.ts';
import type { Mail } from './mail/provider.ts';
import { smtpMail } from './mail/smtp.ts';
import { measuredProvider } from './measured.ts';
import { createGraphClient } from './messaging-app/client.ts';
import { graphMessagingApp } from './messaging-app/graph.ts';
import type { MessagingApp } from './messaging-app/provider.ts';

export type Providers = { messagingApp: MessagingApp; mail: Mail; close(): void };

export function createProviders(
  { messagingAppUrl, providerTimeoutMs, mailUrl }: Pick<Config, 'messagingAppUrl' | 'providerTimeoutMs' | 'mailUrl'>,
  registry: Registry,
  log: Log,
): Providers {
  const measured = measuredProvider(registry);
  const client = createGraphClient({ baseUrl: messagingAppUrl, timeoutMs: providerTimeoutMs });
  const smtp = mailUrl ? smtpMail({ url: mailUrl, timeoutMs: providerTimeoutMs }) : undefined;
  return {
    messagingApp: measured('messaging_app', graphMessagingApp(client)),
    // A mail that is only logged calls nobody.
    mail: smtp ? measured('mail', smtp.mail) : logMail(log),
    close() {
      client.close();
      smtp?.close();
    },
  };
}
