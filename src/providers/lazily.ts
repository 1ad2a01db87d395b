import { madeOnce } from '../platform/made-once.ts';
import type { Calendar } from './calendar/provider.ts';
import type { ExchangeRates } from './exchange-rates/provider.ts';
import type { Mail } from './mail/provider.ts';
import type { GraphOptions } from './messaging-app/client.ts';
import type { ProviderApp } from './messaging-app/onboarding-calls.ts';
import type { MessagingApp } from './messaging-app/provider.ts';
import type { PaymentProvider } from './payment/provider.ts';
import type { Shipper } from './shipper/provider.ts';
import type { GoogleApp } from './tokens/google.ts';
import type { Tokens } from './tokens/provider.ts';
import type { Video } from './video/provider.ts';

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
  listFlows: true,
  findFlows: true,
  createFlow: true,
  readFlow: true,
  updateFlow: true,
  uploadFlowDocument: true,
  downloadFlowDocument: true,
  publishFlow: true,
  deprecateFlow: true,
  deleteFlow: true,
  readFlowKey: true,
  uploadFlowKey: true,
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

/** For workers: their jobs ask the feed. */
export function lazyRates(options: { url: string; timeoutMs: number }): { exchangeRates: ExchangeRates } & Lazy {
  const { get, load, close } = lazily(async () => {
    const { feedOfRates } = await import('./exchange-rates/client.ts');
    return { rates: feedOfRates(options), close() {} };
  });
  return { exchangeRates: { latest: async () => (await get()).rates.latest() }, load, close };
}

const paymentCalls: (keyof PaymentProvider)[] = ['verify', 'createPage', 'readPage', 'closePage', 'refund', 'readRefund'];

/** For workers, and for the one call of a web process that tries the credentials of a new connection. Loaded by its first call alone. */
export function lazyPayments(
  make: () => Promise<{ payments: PaymentProvider; close(): void }>,
): { payments: PaymentProvider } & Lazy {
  const { get, load, close } = lazily(make);
  const later =
    (call: string) =>
    async (...given: unknown[]) =>
      ((await get()).payments as unknown as Calls)[call]!(...given);
  const payments = Object.fromEntries(paymentCalls.map((call) => [call, later(String(call))])) as unknown as PaymentProvider;
  return { payments, load, close };
}

/** Google's library takes as long to load as got: it is loaded by the first call alone. */
export function lazyTokens(options: { timeoutMs: number; google: GoogleApp; zoomUrl: string }): { tokens: Tokens } & Lazy {
  const { get, load, close } = lazily(async () => {
    const [{ createTokenClient }, { googleTokens }, { zoomTokens }] = await Promise.all([
      import('./tokens/client.ts'),
      import('./tokens/google.ts'),
      import('./tokens/zoom.ts'),
    ]);
    const ask = createTokenClient(options);
    const tokens: Tokens = { ...googleTokens(ask, options.google), ...zoomTokens(ask, options.zoomUrl) };
    return { tokens, close() {} };
  });
  const tokens: Tokens = {
    google: async (credentials) => (await get()).tokens.google(credentials),
    zoom: async (credentials) => (await get()).tokens.zoom(credentials),
    exchangeCode: async (consent) => (await get()).tokens.exchangeCode(consent),
  };
  return { tokens, load, close };
}

export function lazyCalendar(options: { url: string; timeoutMs: number }): { calendar: Calendar } & Lazy {
  const { get, load, close } = lazily(async () => {
    const [{ createJsonClient }, { googleCalendar }, { sortedAnswer }] = await Promise.all([
      import('./json/client.ts'),
      import('./calendar/google.ts'),
      import('./calendar/error-codes.ts'),
    ]);
    const client = createJsonClient({ ...options, name: 'the calendar', sorted: sortedAnswer });
    return { calendar: googleCalendar(client), close: () => client.close() };
  });
  const calendar: Calendar = {
    insertEvent: async (...given) => (await get()).calendar.insertEvent(...given),
    getEvent: async (...given) => (await get()).calendar.getEvent(...given),
    patchEvent: async (...given) => (await get()).calendar.patchEvent(...given),
    deleteEvent: async (...given) => (await get()).calendar.deleteEvent(...given),
    listCalendars: async (...given) => (await get()).calendar.listCalendars(...given),
    listBusy: async (...given) => (await get()).calendar.listBusy(...given),
    verify: async (...given) => (await get()).calendar.verify(...given),
  };
  return { calendar, load, close };
}

export function lazyVideo(options: { url: string; timeoutMs: number }): { video: Video } & Lazy {
  const { get, load, close } = lazily(async () => {
    const [{ createJsonClient }, { zoomVideo }, { sortedAnswer }] = await Promise.all([
      import('./json/client.ts'),
      import('./video/zoom.ts'),
      import('./video/error-codes.ts'),
    ]);
    const client = createJsonClient({ ...options, name: 'the video service', sorted: sortedAnswer });
    return { video: zoomVideo(client), close: () => client.close() };
  });
  const video: Video = {
    createMeeting: async (...given) => (await get()).video.createMeeting(...given),
    patchMeeting: async (...given) => (await get()).video.patchMeeting(...given),
    deleteMeeting: async (...given) => (await get()).video.deleteMeeting(...given),
    findMeeting: async (...given) => (await get()).video.findMeeting(...given),
    verify: async (...given) => (await get()).video.verify(...given),
  };
  return { video, load, close };
}

const shipperCalls: Record<keyof Shipper, true> = {
  verify: true,
  findAreas: true,
  rates: true,
  createOrder: true,
  readOrder: true,
  cancelOrder: true,
  track: true,
};

export function lazyShipper(options: { url: string; timeoutMs: number }): { shipper: Shipper } & Lazy {
  const { get, load, close } = lazily(async () => {
    const [{ createShipperClient }, { biteship }] = await Promise.all([
      import('./shipper/client.ts'),
      import('./shipper/biteship.ts'),
    ]);
    const client = createShipperClient(options);
    return { calls: biteship(client) as unknown as Calls, close: () => client.close() };
  });
  const later =
    (call: string) =>
    async (...given: unknown[]) =>
      (await get()).calls[call]!(...given);
  const shipper = Object.fromEntries(Object.keys(shipperCalls).map((call) => [call, later(call)])) as unknown as Shipper;
  return { shipper, load, close };
}
