import type { Registry } from 'prom-client';
import type { Config } from '../platform/config/config.ts';
import type { Log } from '../platform/log.ts';
import { lazyGraphClient, lazySmtpMail } from './lazily.ts';
import { logMail } from './mail/log.ts';
import type { Mail } from './mail/provider.ts';
import { measuredProvider } from './measured.ts';
import { graphMessagingApp } from './messaging-app/graph.ts';
import type { MessagingApp } from './messaging-app/provider.ts';

export type Providers = {
  messagingApp: MessagingApp;
  mail: Mail;
  /** Loads the clients, which their first call does otherwise. */
  load(): Promise<void>;
  close(): void;
};

export function createProviders(
  config: Pick<Config, 'messagingAppUrl' | 'messagingAppId' | 'messagingAppSecret' | 'providerTimeoutMs' | 'mailUrl'> &
    Partial<Pick<Config, 'messagingAppMediaHosts'>>,
  registry: Registry,
  log: Log,
): Providers {
  const { messagingAppUrl, messagingAppId: id, messagingAppSecret: secret, providerTimeoutMs, mailUrl } = config;
  const { messagingAppMediaHosts: mediaHosts } = config;
  const measured = measuredProvider(registry);
  const client = lazyGraphClient({ baseUrl: messagingAppUrl, timeoutMs: providerTimeoutMs, ...(mediaHosts && { mediaHosts }) });
  const smtp = mailUrl ? lazySmtpMail({ url: mailUrl, timeoutMs: providerTimeoutMs }) : undefined;
  return {
    messagingApp: measured('messaging_app', graphMessagingApp(client, id && secret ? { id, secret } : undefined)),
    // A mail that is only logged calls nobody.
    mail: smtp ? measured('mail', smtp.mail) : logMail(log),
    async load() {
      await Promise.all([client.load(), smtp?.load()]);
    },
    close() {
      client.close();
      smtp?.close();
    },
  };
}
