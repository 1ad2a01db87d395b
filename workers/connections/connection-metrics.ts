import { Counter, type Registry } from 'prom-client';
import { type ConnectionProvider, connectionProviders } from '../../src/connections/connection.entity.ts';

const outcomes = ['applied', 'unknown'] as const;
const copies = ['copied', 'refused', 'gone'] as const;

export type ConnectionMetrics = {
  /** What became of the webhook of a payment provider or shipper. */
  webhook(provider: ConnectionProvider, outcome: (typeof outcomes)[number]): void;
  /** What became of a look at the busy times of a calendar. */
  busyCopy(outcome: (typeof copies)[number]): void;
};

export function createConnectionMetrics(registry: Registry): ConnectionMetrics {
  const webhooks = new Counter({
    name: 'kanal_connection_webhooks_total',
    help: 'Webhooks of payment providers and shippers: applied, or unknown (about nothing that is here)',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  });
  const busyCopies = new Counter({
    name: 'kanal_busy_copies_total',
    help: 'Busy times of a staff calendar: copied, refused by the calendar, or gone (its connection was deleted)',
    labelNames: ['outcome'],
    registers: [registry],
  });
  // From the start, so that a rate sees the first of them.
  for (const provider of connectionProviders) for (const outcome of outcomes) webhooks.inc({ provider, outcome }, 0);
  for (const outcome of copies) busyCopies.inc({ outcome }, 0);
  return {
    webhook: (provider, outcome) => webhooks.inc({ provider, outcome }),
    busyCopy: (outcome) => busyCopies.inc({ outcome }),
  };
}
