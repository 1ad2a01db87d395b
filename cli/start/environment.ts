import { inheritedEnvironment } from '../../src/platform/config/config.ts';
import { compileCacheFolder } from '../../src/platform/process/compile-cache.ts';
import type { Home } from './home.ts';

export type Addresses = { base: string; sandbox: string; worker: string; port: number; sandboxPort: number; workerPort: number };

export const addressesOf = (port: number, sandboxPort: number, workerPort: number): Addresses => ({
  base: `http://127.0.0.1:${port}`,
  sandbox: `http://127.0.0.1:${sandboxPort}`,
  worker: `http://127.0.0.1:${workerPort}`,
  port,
  sandboxPort,
  workerPort,
});

export const demoFileName = 'demo.json';

/** Of the sandbox's one app. */
const appId = '400000000000001';

export const operatorUser = 'operator';

/** What web and worker get. Only here may webhooks go to this machine, and anywhere without TLS. */
export const appEnvironment = ({ kept, file }: Home, addresses: Addresses, databaseUrl: string): NodeJS.ProcessEnv => ({
  NODE_COMPILE_CACHE: compileCacheFolder,
  MEDIA_FOLDER: file('media'),
  ...inheritedEnvironment(),
  HOST: '127.0.0.1',
  PORT: String(addresses.port),
  PUBLIC_URL: addresses.base,
  DATABASE_URL: databaseUrl,
  SECRET_KEY: kept.secretKey,
  HASH_KEY: kept.hashKey,
  DEMO_FILE: file(demoFileName),
  OPERATOR_USER: operatorUser,
  OPERATOR_PASSWORD: kept.operatorPassword,
  METRICS_TOKEN: kept.metricsToken,
  HEALTH_PORT: String(addresses.workerPort),
  MESSAGING_APP_URL: addresses.sandbox,
  CALENDAR_URL: `${addresses.sandbox}/calendar/v3`,
  CALENDAR_TOKEN_URL: `${addresses.sandbox}/oauth2/token`,
  CALENDAR_AUTH_URL: `${addresses.sandbox}/oauth2/auth`,
  // The sandbox's own.
  CALENDAR_CLIENT_ID: 'sandbox-calendar-client',
  CALENDAR_CLIENT_SECRET: 'sandbox-calendar-secret',
  VIDEO_URL: `${addresses.sandbox}/video/v2`,
  VIDEO_TOKEN_URL: `${addresses.sandbox}/video/oauth/token`,
  SHIPPER_URL: `${addresses.sandbox}/shipper`,
  PAYMENT_XENDIT_URL: `${addresses.sandbox}/xendit`,
  PAYMENT_STRIPE_URL: addresses.sandbox,
  EXCHANGE_RATES_URL: new URL('/exchange-rates.xml', addresses.sandbox).href,
  MESSAGING_APP_ID: appId,
  MESSAGING_APP_SECRET: kept.appSecret,
  MESSAGING_APP_VERIFY_TOKEN: kept.verifyToken,
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8,::1/128',
});

export const sandboxEnvironment = ({ kept }: Home, addresses: Addresses): NodeJS.ProcessEnv => ({
  NODE_COMPILE_CACHE: compileCacheFolder,
  ...inheritedEnvironment(),
  ACCOUNTS: '',
  SANDBOX_HOST: '127.0.0.1',
  SANDBOX_PORT: String(addresses.sandboxPort),
  WEBHOOK_URL: `${addresses.base}/v1/providers/messaging-app/webhook`,
  APP_ID: appId,
  APP_SECRET: kept.appSecret,
  VERIFY_TOKEN: kept.verifyToken,
});
