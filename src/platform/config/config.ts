import Joi from 'joi';
import { type RequestBoundsSettings, requestBoundsSettings } from '../database/request-bounds.ts';
import { type Bounds, bounds } from './bounds.ts';
import { areOrigins, areQueues, fitsHeader, isHashKey, isMailbox, isMailUrl, isSecretKey, isUrl, list } from './checks.ts';
import { type ConnectionSettings, connectionSettings } from './connections.ts';
import { exchangeRatesSettings } from './exchange-rates.ts';
import { type MediaSettings, mediaSettings } from './media.ts';
import { type MessagingAppSettings, messagingAppSettings } from './messaging-app.ts';
import { queueUrl } from './queue-url.ts';
import { days, type RetentionSettings, retentionSettings } from './retention.ts';

const whole = Joi.number().integer();
const runs = whole.min(1).max(1000);

/** docs/operations lists the variables from here. */
export const configSchema = Joi.object({
  PORT: whole.min(0).max(65_535).default(3000).description('Port of the web process'),
  HOST: Joi.string().default('0.0.0.0').description('Address the web process listens on'),
  DATABASE_URL: Joi.string().custom(isUrl('postgres', 'postgresql')).required().description('PostgreSQL 18 or later'),
  DATABASE_POOL_MAX: whole
    .min(2)
    .max(200)
    .default(15)
    .description('Database connections a process may open (queues not counted)'),
  ...requestBoundsSettings,
  QUEUE_URL: queueUrl,
  SECRET_KEY: Joi.string()
    .required()
    .custom(isSecretKey)
    .description('Key that seals secrets: base64 of 32 bytes; newest first, comma-separated, to rotate'),
  HASH_KEY: Joi.string()
    .required()
    .custom(isHashKey)
    .description('Key under which forgotten addresses stay suppressed: base64 of 32 bytes; never changed'),
  PUBLIC_URL: Joi.string().custom(isUrl('http', 'https')).empty('').description('Address of the API as clients see it'),
  ALLOWED_ORIGINS: Joi.string()
    .allow('')
    .default('')
    .custom(areOrigins('ALLOWED_ORIGINS'))
    .description(
      'Other origins whose pages may call the API and act with a session cookie, comma-separated: https://app.example.com',
    ),
  TRUST_PROXY: whole.min(0).max(10).default(0).description('Proxies in front whose X-Forwarded-For is believed'),
  RATE_LIMIT_PER_MINUTE: whole
    .min(0)
    .max(1_000_000_000)
    .default(6_000)
    .description('Requests a minute of one API key, token, session or address; 0: no limit'),
  ...bounds,
  ...mediaSettings,
  OPERATOR_USER: Joi.string().default('operator').description('User of Bull Board'),
  OPERATOR_PASSWORD: Joi.string().min(12).empty('').description('Password of Bull Board; unset: no Bull Board'),
  DEMO_FILE: Joi.string()
    .empty('')
    .description('File of the demo, set by `npm start`: the examples at /docs name what it has; unset: none'),
  METRICS_TOKEN: Joi.string()
    .min(12)
    .empty('')
    .custom(fitsHeader)
    .description('Bearer token of /metrics; unset: no /metrics. A worker gives it on HEALTH_PORT'),
  LOG_LEVEL: Joi.string()
    .valid('fatal', 'error', 'warn', 'info', 'debug', 'silent')
    .default('info')
    .description('Lowest level logged'),
  ...messagingAppSettings,
  STOP_WORDS: Joi.string()
    .allow('')
    .default('STOP,UNSUBSCRIBE,BERHENTI')
    .description('Words by which a person opts out, comma-separated; each must be the whole message'),
  MAIL_URL: Joi.string()
    .empty('')
    .custom(isMailUrl)
    .description('Mail server, `smtps://user:password@host` or `smtp://…`; unset: mails are only noted in the log'),
  MAIL_FROM: Joi.string()
    .empty('')
    .default('Kanal <no-reply@localhost>')
    .custom(isMailbox)
    .description('Sender of mails: an address, or a name and an address in angle brackets'),
  APP_URL: Joi.string()
    .custom(isUrl('http', 'https'))
    .empty('')
    .description("Where links in mails lead, your front end; unset: PUBLIC_URL, with Kanal's own pages"),
  PROVIDER_TIMEOUT_MS: whole.min(100).max(120_000).default(15_000).description('Longest a provider call may take'),
  CHANNEL_CHECK_SECONDS: whole
    .min(0)
    .max(86_400)
    .default(3_600)
    .description(
      'About how often the provider is asked for the health of each channel, and of each connection once a day; 0: only when somebody asks',
    ),
  ...exchangeRatesSettings,
  ...connectionSettings,
  UNKNOWN_WINDOW: whole
    .min(1)
    .max(3600)
    .default(60)
    .description('Seconds a lost answer of the provider may still prove itself by webhook'),
  WEBHOOK_TIMEOUT_MS: whole.min(100).max(60_000).default(15_000).description('Longest a webhook receiver may take'),
  WEBHOOK_ALLOW_HTTP: Joi.boolean().default(false).description('Allow webhook endpoints without TLS'),
  WEBHOOK_ALLOW_NETWORKS: Joi.string()
    .allow('')
    .default('')
    .description('Private networks webhooks may go to, CIDR, comma-separated'),
  WEBHOOK_FAILING_AFTER_HOURS: whole
    .min(1)
    .max(8_760)
    .default(24)
    .description('Hours of nothing but failures after which others are told that a webhook endpoint is failing'),
  WEBHOOK_DISABLE_AFTER_DAYS: days(1, 5).description('Days of nothing but failures after which a webhook endpoint is disabled'),
  QUEUES: Joi.string()
    .allow('')
    .default('')
    .custom(areQueues)
    .description('Queues this worker serves, comma-separated; empty: all'),
  MESSAGES_CONCURRENCY: runs.default(50).description('Sends a worker runs at once, those that wait for the provider not counted'),
  BULK_MESSAGES_CONCURRENCY: runs
    .default(30)
    .description('Sends of campaigns a worker runs at once, those that wait for the provider not counted'),
  WEBHOOKS_CONCURRENCY: runs
    .default(50)
    .description('First attempts of webhook deliveries a worker runs at once, those that wait for the receiver not counted'),
  WEBHOOK_RETRIES_CONCURRENCY: runs
    .default(20)
    .description('Later attempts of webhook deliveries a worker runs at once, those that wait for the receiver not counted'),
  AUTOMATIONS_CONCURRENCY: runs
    .default(4)
    .description(
      'Runs of rules a worker works on at once, those that wait for a call outside not counted: more are hardly faster, and messages beside them slower',
    ),
  STATUSES_CONCURRENCY: runs.default(20).description('Bodies of the provider with nothing but statuses a worker applies at once'),
  DEFAULT_CONCURRENCY: runs.default(20).description('Other jobs a worker runs at once'),
  LOCK_DURATION_MS: whole.min(500).default(10_000).description('A run whose worker is silent this long is taken over'),
  STALLED_INTERVAL_MS: whole.min(100).default(5_000).description('How often dead runs are looked for'),
  RUN_RETRY_DELAY_MS: whole.min(50).default(500).description('Pause of a worker after a fault of the queue'),
  HEALTH_PORT: whole.min(0).max(65_535).description("Port of a worker's /healthz, /readyz and /metrics; unset: none"),
  SWEEP_INTERVAL_MS: whole.min(100).default(5_000).description('How often the sweeper runs'),
  ...retentionSettings,
  SHUTDOWN_TIMEOUT_MS: whole.min(0).default(20_000).description('Longest a stop waits for active work'),
}).prefs({ abortEarly: false, stripUnknown: true });

export type Config = Bounds &
  MediaSettings &
  MessagingAppSettings &
  ConnectionSettings &
  RequestBoundsSettings &
  RetentionSettings & {
    port: number;
    host: string;
    databaseUrl: string;
    databasePoolMax: number;
    queueUrl?: string;
    secretKey: string;
    hashKey: string;
    publicUrl?: string;
    allowedOrigins: string[];
    trustProxy: number;
    rateLimitPerMinute: number;
    operatorUser: string;
    operatorPassword?: string;
    demoFile?: string;
    metricsToken?: string;
    logLevel: string;
    stopWords: string[];
    mailUrl?: string;
    mailFrom: string;
    appUrl?: string;
    providerTimeoutMs: number;
    channelCheckSeconds: number;
    exchangeRatesUrl?: string;
    unknownWindow: number;
    webhookTimeoutMs: number;
    webhookAllowHttp: boolean;
    webhookAllowNetworks: string[];
    webhookFailingAfterHours: number;
    webhookDisableAfterDays: number;
    queues: string[];
    messagesConcurrency: number;
    bulkMessagesConcurrency: number;
    webhooksConcurrency: number;
    webhookRetriesConcurrency: number;
    automationsConcurrency: number;
    statusesConcurrency: number;
    defaultConcurrency: number;
    lockDurationMs: number;
    stalledIntervalMs: number;
    runRetryDelayMs: number;
    healthPort?: number;
    sweepIntervalMs: number;
    shutdownTimeoutMs: number;
  };

const camel = (name: string) => name.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
export class ConfigError extends Error {
  readonly faults: string[];
  constructor(faults: string[]) {
    super(`The configuration is not valid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

type Environment = Record<string, string | undefined>;

/** Compose files pass on empty variables: they count as unset. An empty STOP_WORDS is a choice. */
const setIn = (env: Environment) =>
  Object.fromEntries(Object.entries(env).filter(([name, value]) => value !== '' || name === 'STOP_WORDS'));

function validated(schema: Joi.ObjectSchema, env: Environment) {
  const { value, error } = schema.validate(setIn(env), { errors: { wrap: { label: false } } });
  const faults = error?.details.map((detail) => detail.message.replace(/ with value ".*?"/, '')) ?? [];
  if (faults.length > 0) throw new ConfigError(faults);
  return value;
}

const named = (value: object) => Object.fromEntries(Object.entries(value).map(([name, entry]) => [camel(name), entry]));

/** Throws ConfigError with every fault; no fault shows a value, which may be a secret. */
export function readConfig(env: Environment = process.env): Config {
  const value = validated(configSchema, env);
  return {
    ...named(value),
    rateLimitOrganizationPerMinute: value.RATE_LIMIT_ORGANIZATION_PER_MINUTE ?? value.RATE_LIMIT_PER_MINUTE * 5,
    webhookAllowNetworks: list(value.WEBHOOK_ALLOW_NETWORKS),
    allowedOrigins: list(value.ALLOWED_ORIGINS),
    messagingAppMediaHosts: list(value.MESSAGING_APP_MEDIA_HOSTS),
    providerOrigins: list(value.PROVIDER_ORIGINS),
    queues: list(value.QUEUES),
    stopWords: list(value.STOP_WORDS),
  } as Config;
}

const connectionsSchema = Joi.object({
  DATABASE_URL: configSchema.extract('DATABASE_URL'),
  QUEUE_URL: configSchema.extract('QUEUE_URL'),
}).prefs({ abortEarly: false, stripUnknown: true });

/** For on-call commands, which do not need SECRET_KEY. */
export const readConnections = (env: Environment = process.env) =>
  named(validated(connectionsSchema, env)) as Pick<Config, 'databaseUrl' | 'queueUrl'>;

const retentionSchema = Joi.object({ RETENTION_EVENTS_DAYS: configSchema.extract('RETENTION_EVENTS_DAYS') }).prefs({
  stripUnknown: true,
});

/** For commands that name a time. */
export const readRetention = (env: Environment = process.env) =>
  named(validated(retentionSchema, env)) as Pick<Config, 'retentionEventsDays'>;

/** What `npm start` itself reads; all other variables go to the processes it starts. */
export const startSchema = Joi.object({
  KANAL_HOME: Joi.string().empty('').default('.kanal').description('Directory of all that `npm start` keeps'),
  PORT: whole.min(0).max(65_535).empty('').default(3000).description('Port of the API; the next free one when taken'),
  SANDBOX_PORT: whole.min(0).max(65_535).empty('').default(4010).description('Port of the sandbox; the next free one when taken'),
  DATABASE_URL: Joi.string()
    .custom(isUrl('postgres', 'postgresql'))
    .empty('')
    .description('PostgreSQL 18 or later; unset: an embedded server'),
  QUEUE_URL: queueUrl,
}).prefs({ abortEarly: false, stripUnknown: true });

export type StartEnvironment = {
  kanalHome: string;
  port: number;
  sandboxPort: number;
  databaseUrl?: string;
  queueUrl?: string;
};

export const readStartEnvironment = (env: Environment = process.env) => named(validated(startSchema, env)) as StartEnvironment;

/** What `webhooks listen` reads: a client of the API, with no part in the installation. */
export const listenSchema = Joi.object({
  KANAL_URL: Joi.string()
    .custom(isUrl('http', 'https'))
    .empty('')
    .description('Address of the Kanal to listen to; unset: the one that `npm start` runs'),
  KANAL_API_KEY: Joi.string().empty('').description('API key for it, with the scopes `webhooks:read` and `webhooks:write`'),
}).prefs({ abortEarly: false, stripUnknown: true });

export type ListenEnvironment = { kanalUrl?: string; kanalApiKey?: string };

export const readListenEnvironment = (env: Environment = process.env) => named(validated(listenSchema, env)) as ListenEnvironment;

export const inheritedEnvironment = () => ({ ...process.env });
