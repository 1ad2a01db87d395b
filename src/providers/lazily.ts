import { madeOnce } from '../platform/made-once.ts';
import type { Mail } from './mail/provider.ts';
import type { GraphOptions } from './messaging-app/client.ts';
import type { ProviderApp } from './messaging-app/onboarding-calls.ts';
import type { MessagingApp } from './messaging-app/provider.ts';

type Calls = Record<string, (...given: unknown[]) => Promise<unknown>>;

/** What a client that is made at its first call adds: `load` makes it before. */
type Lazy = { load(): Promise<void>; close(): void };

function lazily<Made extends { close(): void }>(make: () => Promise<Made>) {
  const { get, made } = madeOnce(make);
  return {
    get,
    async load() {
      await get();
    },
    close: () =>
      void made()
        ?.then((one) => one.close())
        .catch(() => undefined),
  };
}

/** Each call of the interface, which must be known before what answers it is loaded. */
const calls: Record<keyof MessagingApp, true> = {
  exchangeCode: true,
  subscribeApp: true,
  isAppSubscribed: true,
  registerNumber: true,
  readNumber: true,
  ownsNumber: true,
  readHealth: true,
  isSubscribed: true,
  listTemplates: true,
  findTemplate: true,
  createTemplate: true,
  editTemplate: true,
  deleteTemplate: true,
  send: true,
  markRead: true,
  blockUser: true,
  unblockUser: true,
  fetchMedia: true,
  uploadMedia: true,
};

/** got alone takes as long to load as all our own code: a web process calls the provider seldom. */
export function lazyMessagingApp(options: GraphOptions, app?: ProviderApp): { messagingApp: MessagingApp } & Lazy {
  const { get, load, close } = lazily(async () => {
    const [{ createGraphClient }, { graphMessagingApp }] = await Promise.all([
      import('./messaging-app/client.ts'),
      import('./messaging-app/graph.ts'),
    ]);
    const client = createGraphClient(options);
    return { calls: graphMessagingApp(client, app) as unknown as Calls, close: () => client.close() };
  });
  const later =
    (call: string) =>
    async (...given: unknown[]) =>
      (await get()).calls[call]!(...given);
  const messagingApp = Object.fromEntries(Object.keys(calls).map((call) => [call, later(call)])) as unknown as MessagingApp;
  return { messagingApp, load, close };
}

/** nodemailer is for workers: they send the mails. */
export function lazySmtpMail(options: { url: string; timeoutMs: number }): { mail: Mail } & Lazy {
  const { get, load, close } = lazily(async () => (await import('./mail/smtp.ts')).smtpMail(options));
  return { mail: { send: async (mail) => (await get()).mail.send(mail) }, load, close };
}
