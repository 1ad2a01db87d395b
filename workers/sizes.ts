import { poolWidth } from '../src/automation/limits.ts';
import type { Config } from '../src/platform/config/config.ts';
import type { QueueName } from '../src/platform/ledger/queue-names.ts';

/** `concurrency`: runs that work; `share`: of one pool or organization, those that wait for an answer too; `open`: in all, likewise. */
export type Sizes = { concurrency: number; share: number; open: number };

/**
 * Steps of rules work on the database, where many at once only make messages wait; their calls outside wait for hosts that may hang, ten at each: five such
 * hosts leave an organization places for its other runs.
 */
export function sizesOf(queue: QueueName, config: Config): Sizes {
  const concurrency = concurrencyOf(config)[queue];
  const factor = config.concurrencyOpenFactor;
  if (queue !== 'automations') return { concurrency, share: concurrency, open: concurrency * factor };
  const places = Math.max(concurrency, poolWidth);
  return { concurrency, share: places * 3, open: places * factor };
}

const concurrencyOf = (config: Config): Record<QueueName, number> => ({
  messages: config.messagesConcurrency,
  'bulk-messages': config.bulkMessagesConcurrency,
  webhooks: config.webhooksConcurrency,
  'webhook-retries': config.webhookRetriesConcurrency,
  automations: config.automationsConcurrency,
  statuses: config.statusesConcurrency,
  default: config.defaultConcurrency,
});
