import type { Mail } from './mail/provider.ts';
import type { GraphClient, GraphOptions } from './messaging-app/client.ts';

/** What a client that is made at its first call adds: `load` makes it before. */
type Lazy = { load(): Promise<void>; close(): void };

function lazily<Made extends { close(): void }>(make: () => Promise<Made>) {
  let made: Promise<Made> | undefined;
  const get = () => {
    // A load that failed is tried again by the next call.
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
  return {
    get,
    async load() {
      await get();
    },
    close: () => void made?.then((one) => one.close()).catch(() => undefined),
  };
}

/** got alone takes as long to load as all our own code: a web process calls the provider seldom. */
export function lazyGraphClient(options: GraphOptions): GraphClient & Lazy {
  const { get, load, close } = lazily(async () => (await import('./messaging-app/client.ts')).createGraphClient(options));
  return {
    get: async (...call) => (await get()).get(...call),
    post: async (...call) => (await get()).post(...call),
    delete: async (...call) => (await get()).delete(...call),
    download: async (...call) => (await get()).download(...call),
    upload: async (...call) => (await get()).upload(...call),
    load,
    close,
  };
}

/** nodemailer is for workers: they send the mails. */
export function lazySmtpMail(options: { url: string; timeoutMs: number }): { mail: Mail } & Lazy {
  const { get, load, close } = lazily(async () => (await import('./mail/smtp.ts')).smtpMail(options));
  return { mail: { send: async (mail) => (await get()).mail.send(mail) }, load, close };
}
