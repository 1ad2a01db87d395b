import type { Registry } from 'prom-client';
import type { Config } from '../platform/config/config.ts';
import type { Log } from '../platform/log.ts';
import { lazyMessagingApp, lazySmtpMail } from './lazily.ts';
import { logMail } from './mail/log.ts';
import type { Mail } from './mail/provider.ts';
import { measuredProvider } from './measured.ts';
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
  const { messagingAppUrl, messagingAppMediaHosts: mediaHosts, providerTimeoutMs, mailUrl } = config;
  const { messagingAppId: id, messagingAppSecret: secret } = config;
  const measured = measuredProvider(registry);
  const options = { baseUrl: messagingAppUrl, timeoutMs: providerTimeoutMs, ...(mediaHosts && { mediaHosts }) };
  const app = lazyMessagingApp(options, id && secret ? { id, secret } : undefined);
  const smtp = mailUrl ? lazySmtpMail({ url: mailUrl, timeoutMs: providerTimeoutMs }) : undefined;
  return {
    messagingApp: measured('messaging_app', app.messagingApp),
    // A mail that is only logged calls nobody.
    mail: smtp ? measured('mail', smtp.mail) : logMail(log),
    async load() {
      await Promise.all([app.load(), smtp?.load()]);
    },
    close() {
      app.close();
      smtp?.close();
    },
  };
}
