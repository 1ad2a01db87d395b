import type { Config } from '../config/config.ts';
import type { Log } from '../log.ts';
import { memoryCounter } from './counter.ts';
import { createLookUps, type LookUps } from './look-ups.ts';
import { createQuota, type Quota, quotaWindow } from './quota.ts';
import { redisCounter } from './redis-counter.ts';

/** A missing quota is no limit. */
export type RequestLimits = {
  /** Of a key, token or session, or of an address for requests without a valid one. */
  own?: Quota;
  organization?: Quota;
  channel?: Quota;
  connection?: Quota;
  /** Of an organization: credentials that are tried at a provider while the caller waits. */
  credentials?: Quota;
  lookUps: LookUps;
  close(): void;
};

type Settings = Pick<
  Config,
  | 'rateLimitPerMinute'
  | 'rateLimitOrganizationPerMinute'
  | 'channelWebhooksPerMinute'
  | 'connectionWebhooksPerMinute'
  | 'credentialTriesPerMinute'
  | 'queueUrl'
>;

/** `processes`: how many web processes share the quotas, this one included. */
export function createRequestLimits(config: Settings, log: Log, processes: () => number): RequestLimits {
  const { queueUrl } = config;
  const counter = queueUrl ? redisCounter(queueUrl, quotaWindow, log, processes) : memoryCounter(quotaWindow);
  const own = createQuota(config.rateLimitPerMinute, counter);
  return {
    own,
    lookUps: createLookUps(own),
    organization: createQuota(config.rateLimitOrganizationPerMinute, counter),
    channel: createQuota(config.channelWebhooksPerMinute, counter),
    connection: createQuota(config.connectionWebhooksPerMinute, counter),
    credentials: createQuota(config.credentialTriesPerMinute, counter),
    close: () => counter.close(),
  };
}
