import Joi from 'joi';

const whole = Joi.number().integer();
/** Room for at least one of the largest bodies. */
const bytes = (defaultMiB: number, minMiB = 16) =>
  whole
    .min(minMiB * 2 ** 20)
    .max(16 * 2 ** 30)
    .default(defaultMiB * 2 ** 20);

export const bounds = {
  RATE_LIMIT_ORGANIZATION_PER_MINUTE: whole
    .min(0)
    .max(10_000_000_000)
    .empty('')
    .description(
      'Requests a minute of all keys, tokens and sessions of one organization; unset: 5 times RATE_LIMIT_PER_MINUTE; 0: no limit',
    ),
  PUBLIC_BODY_MAX_BYTES: whole
    .min(1_024)
    .max(2 ** 20)
    .default(16 * 2 ** 10)
    .description('Largest JSON body of an endpoint that needs no credential, in bytes'),
  BODY_MAX_VALUES: whole
    .min(1_000)
    .max(1_000_000)
    .default(10_000)
    .description('Values in a JSON body at most, nested ones included'),
  PROVIDER_WEBHOOK_MAX_PARTS: whole
    .min(1)
    .max(100_000)
    .default(1_000)
    .description("Messages, statuses and other parts that are applied of one body of the provider's webhooks"),
  CHANNEL_WEBHOOKS_PER_MINUTE: whole
    .min(0)
    .max(1_000_000_000)
    .default(30_000)
    .description("Bodies a minute at a channel's own provider callback; 0: no limit"),
  CONNECTION_WEBHOOKS_PER_MINUTE: whole
    .min(0)
    .max(1_000_000_000)
    .default(1_200)
    .description(
      'Bodies a minute at the callback of one payment or shipping connection, one of more than 16 kB counts as several; 0: no limit',
    ),
  CREDENTIAL_TRIES_PER_MINUTE: whole
    .min(0)
    .max(1_000_000_000)
    .default(60)
    .description('Credentials of connections that an organization may have tried at their provider a minute; 0: no limit'),
  BODIES_MAX_BYTES: bytes(64).description(
    'Bytes of request bodies that callers with a credential may have here at once; beyond: 503',
  ),
  BODIES_ORGANIZATION_MAX_BYTES: bytes(16).description('Of BODIES_MAX_BYTES those of one organization'),
  BODIES_ANONYMOUS_MAX_BYTES: bytes(32).description(
    'Bytes of provider webhooks above 64 kB, and of packed bodies without a credential, here at once; one address: a quarter',
  ),
  BODIES_SMALL_WEBHOOKS_MAX_BYTES: bytes(16, 1).description(
    'Bytes of provider webhooks up to 64 kB here at once, counted apart from larger ones; one address: a quarter',
  ),
  BODIES_LOGINS_MAX_BYTES: bytes(8, 4).description(
    'Bytes of logins and other JSON bodies without a credential here at once, counted apart from webhooks; one address: a quarter',
  ),
  BODIES_UNREAD_BYTES_PER_SECOND: bytes(16, 1).description(
    'Bytes a second that are still taken of bodies whose request has been answered, so that the reply is read; beyond: the connection is closed',
  ),
  REPLIES_MAX_BYTES: bytes(64).description(
    'Bytes of JSON replies above 64 kB that clients have not read yet; beyond: 503 instead of such a reply',
  ),
  REPLIES_ORGANIZATION_MAX_BYTES: bytes(16, 1).description('Of REPLIES_MAX_BYTES those of one organization'),
  BODY_MIN_BYTES_PER_SECOND: whole
    .min(1)
    .max(1_000_000)
    .default(1_024)
    .description('How fast a request body must keep coming, over 5 s, or its connection is closed'),
  CONNECTION_STALL_TIMEOUT_MS: whole
    .min(31_000)
    .max(3_600_000)
    .default(60_000)
    .description('A connection on which no byte moves for so long is closed; more than the 30 s of Prefer: wait'),
  UPLOADS_PER_ORGANIZATION: whole
    .min(1)
    .max(1_000)
    .default(4)
    .description('Files an organization uploads at once to one process'),
  DOWNLOADS_PER_ORGANIZATION: whole
    .min(1)
    .max(1_000)
    .default(4)
    .description('Files an organization downloads at once from one process, exports as they are read among them'),
  MEDIA_DOWNLOADS_PER_ORGANIZATION: whole
    .min(1)
    .max(10_000)
    .default(64)
    .description('Media assets an organization downloads at once from one process; by signed links: one address'),
  MEDIA_QUOTA_BYTES: whole
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(10 * 2 ** 30)
    .description('Bytes that the media assets of one organization may take, those that come in among them; 0: no limit'),
  WAITS_PER_ORGANIZATION: whole
    .min(1)
    .max(100)
    .default(20)
    .description(
      'Requests of an organization that wait at once in one process (Prefer: wait), of 100 in all; others get their reply at once',
    ),
  FLOW_EXCHANGES_AT_ONCE: whole
    .min(1)
    .max(10_000)
    .default(100)
    .description("Requests of phones to flows' endpoints that a process answers at once; beyond: 503"),
  FLOW_EXCHANGES_PER_ORGANIZATION: whole
    .min(1)
    .max(10_000)
    .default(50)
    .description('Of FLOW_EXCHANGES_AT_ONCE those of one organization: its slow endpoint must not hold up others'),
  FLOW_VERSIONS_MAX_BYTES: whole
    .min(0)
    .default(256 * 1024 * 1024)
    .description(
      'Documents of former versions of flows that are kept for an organization; beyond, the oldest go. Not counted: the present one of each flow, and that which the provider has',
    ),
  RULE_VERSIONS_MAX_BYTES: whole
    .min(0)
    .default(256 * 1024 * 1024)
    .description(
      'Former versions of rules that are kept for an organization, as they are stored; beyond, the oldest go. Those of live runs and of the last hour stay',
    ),
  LISTS_AT_ONCE: whole
    .min(1)
    .max(100)
    .default(1)
    .description(
      'Lists with search, filters or a total, pages of rules, campaigns and staff, and searches for free times, that a process works on at once for an organization; the rest waits. As many saves, moves and tests of rules and campaigns, and as many counts for the statistics of a large campaign, apart from these',
    ),
  LIST_TIMEOUT_MS: whole.min(100).max(30_000).default(2_000).description('Longest a statement of such a list may take'),
  LIST_MAX_CHECKS: whole
    .min(1_000)
    .max(100_000_000)
    .default(100_000)
    .description('Records a list reads for a page, times the conditions that no index answers'),
  IMPORT_MAX_BYTES: whole
    .min(1_024)
    .max(8 * 2 ** 30)
    .default(512 * 2 ** 20)
    .description('Largest file of contacts to import, in bytes'),
  IMPORTS_MAX_QUEUED: whole
    .min(1)
    .max(1_000)
    .default(10)
    .description('Imports of an organization that are uploaded, wait or run at once; one more file is refused'),
  BULK_TIME_SHARE: Joi.number()
    .greater(0)
    .max(1)
    .default(0.25)
    .description(
      'Share of the time that an import or export works in a worker; 1: without a rest, where nothing else needs the processors',
    ),
  WEBHOOK_REPLAYS_PER_SECOND: whole
    .min(1)
    .max(10_000)
    .default(100)
    .description('Deliveries a second that one recover or replay of an endpoint asks new tries of, at most'),
  LATER_TRIES_PER_SECOND: whole
    .min(1)
    .max(10_000)
    .default(100)
    .description(
      'Jobs a second that an organization gets in each queue of those that waited for more than a minute: thousands of retries, or of snoozes, due at once hold up nothing else',
    ),
  CONCURRENCY_OPEN_FACTOR: whole
    .min(1)
    .max(100)
    .default(8)
    .description(
      'Runs a worker holds in all, in multiples of the concurrency of their queue: those that wait for a provider or receiver count only here. No channel, endpoint or organization holds more than one of these parts, but an organization three of `automations`',
    ),
};

export type Bounds = {
  rateLimitOrganizationPerMinute: number;
  listsAtOnce: number;
  listTimeoutMs: number;
  listMaxChecks: number;
  importMaxBytes: number;
  importsMaxQueued: number;
  bulkTimeShare: number;
  webhookReplaysPerSecond: number;
  laterTriesPerSecond: number;
  concurrencyOpenFactor: number;
  publicBodyMaxBytes: number;
  bodyMaxValues: number;
  providerWebhookMaxParts: number;
  channelWebhooksPerMinute: number;
  connectionWebhooksPerMinute: number;
  credentialTriesPerMinute: number;
  bodiesMaxBytes: number;
  bodiesOrganizationMaxBytes: number;
  bodiesAnonymousMaxBytes: number;
  bodiesSmallWebhooksMaxBytes: number;
  bodiesLoginsMaxBytes: number;
  bodiesUnreadBytesPerSecond: number;
  repliesMaxBytes: number;
  repliesOrganizationMaxBytes: number;
  bodyMinBytesPerSecond: number;
  connectionStallTimeoutMs: number;
  uploadsPerOrganization: number;
  downloadsPerOrganization: number;
  mediaDownloadsPerOrganization: number;
  mediaQuotaBytes: number;
  waitsPerOrganization: number;
  flowExchangesAtOnce: number;
  flowExchangesPerOrganization: number;
  flowVersionsMaxBytes: number;
  ruleVersionsMaxBytes: number;
};
