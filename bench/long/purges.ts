import { purges } from '../../src/platform/retention/purges.ts';
import { runPurge } from '../../src/platform/retention/run.ts';
import type { Stage } from '../stage.ts';
import { sharesOf } from './fill/shares.ts';
import { openKanal } from './kanal.ts';
import type { Sizes } from './sizes.ts';

const long = ['jobs', 'idempotency_keys', 'provider_webhooks', 'unmatched_statuses', 'webhook_attempts', 'events'];

/** `vacuumSeconds`: what it takes to give the space of those rows back to the table. */
export type Purged = {
  table: string;
  deleted: number;
  seconds: number;
  perSecond: number;
  perMessage: number;
  vacuumSeconds: number;
};

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
export async function measurePurges({ kanal }: Stage, sizes: Sizes, budgetSeconds: number): Promise<Purged[]> {
  const product = await openKanal(kanal);
  try {
    const measured: Purged[] = [];
    for (const purge of purges.filter(({ table }) => long.includes(table))) {
      const [{ deleted }, seconds] = await timed(() =>
        runPurge(purge, { ...product, isStopping: () => false, budgetMs: budgetSeconds * 1_000 }),
      );
      const rows = deleted[purge.table]!;
      const [, vacuumSeconds] = await timed(() => kanal.sql.query(`vacuum ${purge.tables.join(', ')}`));
      const perMessage = rowsPerMessage(sizes)[purge.table]!;
      measured.push({ table: purge.table, deleted: rows, seconds, perSecond: rows / seconds, perMessage, vacuumSeconds });
    }
    return measured;
  } finally {
    await product.close();
  }
}

async function timed<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
  const startedAt = performance.now();
  const result = await work();
  return [result, (performance.now() - startedAt) / 1000];
}

/** Messages a second, day and night, whose rows are deleted as fast as they come: by a worker that does nothing but this purge. */
export const keepsUpWith = ({ perSecond, perMessage }: Purged) => perSecond / perMessage;

/** By one worker that purges all tables by turns. */
export const oneWorkerKeepsUpWith = (purged: Purged[]) =>
  1 / purged.reduce((seconds, { perSecond, perMessage }) => seconds + perMessage / perSecond, 0);
