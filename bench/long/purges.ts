import { purges } from '../../src/platform/retention/purges.ts';
import { runPurge } from '../../src/platform/retention/run.ts';
import type { Stage } from '../stage.ts';
import { sharesOf } from './fill/messages.ts';
import { openKanal } from './kanal.ts';
import type { Sizes } from './sizes.ts';

const long = ['jobs', 'idempotency_keys', 'provider_webhooks', 'unmatched_statuses', 'webhook_attempts', 'events'];
/** A worker looks for due purges about every minute and works on one for twenty seconds. */
const shareOfTime = 20 / 80;

export type Purged = { table: string; deleted: number; seconds: number; perSecond: number; perMessage: number };

/** The rows that one message leaves in a table, as the fill makes them. */
export function rowsPerMessage(sizes: Sizes): Record<string, number> {
  const { eventsPerMessage, failedDeliveries, brokenBodies } = sharesOf(sizes);
  return {
    jobs: sizes.failed / sizes.messages,
    idempotency_keys: 0.6,
    provider_webhooks: 2 + brokenBodies,
    unmatched_statuses: 1 / 50,
    webhook_attempts: eventsPerMessage * (1 + 7 * failedDeliveries),
    // Each with its delivery.
    events: eventsPerMessage,
  };
}

/** Each purge as a worker runs it, its pauses included; what the retention times leave is there to be deleted. */
export async function measurePurges({ kanal }: Stage, sizes: Sizes, seconds: number): Promise<Purged[]> {
  const product = await openKanal(kanal);
  try {
    const measured: Purged[] = [];
    for (const purge of purges.filter(({ table }) => long.includes(table))) {
      const startedAt = performance.now();
      const { deleted } = await runPurge(purge, { ...product, isStopping: () => false, budgetMs: seconds * 1_000 });
      const took = (performance.now() - startedAt) / 1000;
      const rows = deleted[purge.table]!;
      measured.push({
        table: purge.table,
        deleted: rows,
        seconds: took,
        perSecond: rows / took,
        perMessage: rowsPerMessage(sizes)[purge.table]!,
      });
    }
    return measured;
  } finally {
    await product.close();
  }
}

/** Messages a second, day and night, whose rows one worker deletes as fast as they come. */
export const keepsUpWith = ({ perSecond, perMessage }: Purged) => (perSecond * shareOfTime) / perMessage;
