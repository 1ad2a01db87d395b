import type { Registry } from 'prom-client';
import type { Config } from '../platform/config/config.ts';
import type { ConnectionSettings } from '../platform/config/connections.ts';
import type { Log } from '../platform/log.ts';
import type { Calendar } from './calendar/provider.ts';
import type { Verifiers } from './connections.ts';
import type { ExchangeRates } from './exchange-rates/provider.ts';
import {
  lazyCalendar,
  lazyMessagingApp,
  lazyPayments,
  lazyRates,
  lazyShipper,
  lazySmtpMail,
  lazyTokens,
  lazyVideo,
} from './lazily.ts';
import { logMail } from './mail/log.ts';
import type { Mail } from './mail/provider.ts';
import { measuredProvider } from './measured.ts';
import type { MessagingApp } from './messaging-app/provider.ts';
import type { PaymentProvider, PaymentProviderName } from './payment/provider.ts';
import type { Shipper } from './shipper/provider.ts';
import type { Tokens } from './tokens/provider.ts';
import type { Video } from './video/provider.ts';

export type Providers = {
  messagingApp: MessagingApp;
  mail: Mail;
  /** Undefined: the installation has no feed. */
  exchangeRates?: ExchangeRates;
  shipper: Shipper;
  payments: Record<PaymentProviderName, PaymentProvider>;
  tokens: Tokens;
  /** Tries the credentials of a connection. */
  verify: Verifiers;
  calendar: Calendar;
  video: Video;
  /** Loads the clients, which their first call does otherwise. */
  load(): Promise<void>;
  close(): void;
};

export function createProviders(
  config: Pick<Config, 'messagingAppUrl' | 'messagingAppId' | 'messagingAppSecret' | 'providerTimeoutMs' | 'mailUrl'> &
    Partial<Pick<Config, 'messagingAppMediaHosts' | 'providerOrigins' | 'webhookAllowNetworks' | 'exchangeRatesUrl'>> &
    Partial<ConnectionSettings>,
  registry: Registry,
  log: Log,
): Providers {
  const { messagingAppUrl, messagingAppMediaHosts: mediaHosts, providerTimeoutMs, mailUrl } = config;
  const { messagingAppId: id, messagingAppSecret: secret } = config;
  const { exchangeRatesUrl, providerOrigins: origins, webhookAllowNetworks: allowNetworks } = config;
  const { paymentStripeUrl: stripeUrl = 'https://api.stripe.com', paymentXenditUrl: xenditUrl = 'https://api.xendit.co' } =
    config;
  const measured = measuredProvider(registry);
  const options = {
    baseUrl: messagingAppUrl,
    timeoutMs: providerTimeoutMs,
    ...(mediaHosts && { mediaHosts }),
    ...(origins && { origins }),
    ...(allowNetworks && { allowNetworks }),
  };
  const app = lazyMessagingApp(options, id && secret ? { id, secret } : undefined);
  const smtp = mailUrl ? lazySmtpMail({ url: mailUrl, timeoutMs: providerTimeoutMs }) : undefined;
  const feed = exchangeRatesUrl ? lazyRates({ url: exchangeRatesUrl, timeoutMs: providerTimeoutMs }) : undefined;
  const timeoutMs = providerTimeoutMs;
  const stripe = lazyPayments(async () => (await import('./payment/stripe.ts')).stripePayments({ url: stripeUrl, timeoutMs }));
  const xendit = lazyPayments(async () => (await import('./payment/xendit.ts')).xenditPayments({ url: xenditUrl, timeoutMs }));
  const access = lazyTokens({
    timeoutMs: providerTimeoutMs,
    google: {
      tokenUrl: config.calendarTokenUrl ?? '',
      clientId: config.calendarClientId,
      clientSecret: config.calendarClientSecret,
    },
    zoomUrl: config.videoTokenUrl ?? '',
  });
  const payments = { stripe: measured('stripe', stripe.payments), xendit: measured('xendit', xendit.payments) };
  const entries = lazyCalendar({ url: config.calendarUrl ?? '', timeoutMs: providerTimeoutMs });
  const rooms = lazyVideo({ url: config.videoUrl ?? '', timeoutMs: providerTimeoutMs });
  const courier = lazyShipper({ url: config.shipperUrl ?? '', timeoutMs: providerTimeoutMs });
  const shipper = measured('shipper', courier.shipper);
  const calendar = measured('calendar', entries.calendar);
  const video = measured('video', rooms.video);
  return {
    messagingApp: measured('messaging_app', app.messagingApp),
    // A mail that is only logged calls nobody.
    mail: smtp ? measured('mail', smtp.mail) : logMail(log),
    ...(feed && { exchangeRates: measured('exchange_rates', feed.exchangeRates) }),
    payments,
    shipper,
    tokens: measured('tokens', access.tokens),
    calendar,
    video,
    verify: {
      google: (credentials, access) => calendar.verify(credentials, access),
      zoom: (credentials, access) => video.verify(credentials, access),
      biteship: (credentials) => shipper.verify(credentials),
      stripe: (credentials) => payments.stripe.verify(credentials),
      xendit: (credentials) => payments.xendit.verify(credentials),
    },
    async load() {
      const clients = [app, smtp, feed];
      await Promise.all(clients.map((client) => client?.load()));
    },
    close() {
      app.close();
      smtp?.close();
      entries.close();
      rooms.close();
      courier.close();
      stripe.close();
      xendit.close();
    },
  };
}
