import { Registry } from 'prom-client';
import { checkJobs } from '../../src/platform/ledger/check.ts';
import { sweep } from '../../src/platform/ledger/sweep.ts';
import { createDatabaseFigures } from '../../src/platform/metrics/database-figures.ts';
import type { Side, Stage } from '../stage.ts';
import { median } from '../statistics.ts';
import { isLive, takeAway } from '../take-away.ts';
import { fillBoard, openBoard } from './board.ts';
import { type Kanal, openKanal } from './kanal.ts';

const times = 5;

/** Medians and the longest, in milliseconds. */
export type Chore = { name: string; full: number; empty: number; longest: number };
export type Timed = { name: string; run(): Promise<unknown> };

const choresOf = ({ database, queues, ledger, log }: Kanal): Timed[] => [
  { name: 'jobs check', run: async () => assertClean(await checkJobs(database)) },
  { name: 'figures of /metrics', run: () => assertRead(database) },
  { name: 'sweep', run: () => sweep({ database, queues, ledger, log, config: { laterTriesPerSecond: 100 } }) },
];

function assertClean(findings: { rule: string }[]) {
  if (findings.length > 0) throw new Error(`long: jobs check found ${findings.length}: ${findings[0]!.rule}`);
}

/** A new set of gauges each time: one that was read is fresh for a while. */
async function assertRead(database: Kanal['database']) {
  const registry = new Registry();
  await createDatabaseFigures(registry, database)();
  if (!(await registry.metrics()).includes('kanal_database_up 1')) throw new Error('long: the figures were not read in time');
}

/** No worker is there for what the paths have left. */
async function settle({ sql }: Side) {
  await takeAway(sql, isLive);
  await sql.query('vacuum analyze jobs, messages, provider_webhooks, webhook_deliveries');
}

/** What looks over whole tables, in turns over both databases. */
export async function measureChores({ kanal, floor }: Stage): Promise<Chore[]> {
  for (const side of [kanal, floor]) await settle(side);
  const products = [await openKanal(kanal), await openKanal(floor)];
  await fillBoard(products[0]!.queues);
  const boards = [await openBoard(kanal), await openBoard(floor)];
  try {
    const sides = products.map((product, index) => [...choresOf(product), ...boards[index]!.pages]);
    const chores: Chore[] = [];
    for (const [index, { name }] of sides[0]!.entries()) {
      const took: number[][] = [[], []];
      for (let number = 0; number < times; number += 1)
        for (const side of number % 2 === 0 ? [0, 1] : [1, 0]) {
          const startedAt = performance.now();
          await sides[side]![index]!.run();
          took[side]!.push(performance.now() - startedAt);
        }
      chores.push({ name, full: median(took[0]!), empty: median(took[1]!), longest: Math.max(...took[0]!) });
    }
    return chores;
  } finally {
    for (const board of boards) await board.close();
    for (const product of products) await product.close();
  }
}
