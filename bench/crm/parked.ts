import { sweep } from '../../src/platform/ledger/sweep.ts';
import { remindOfTask } from '../../src/tasks/reminders.ts';
import { type Kanal, openKanal } from '../long/kanal.ts';
import type { Side, Stage } from '../stage.ts';
import { median } from '../statistics.ts';
import { isLive, takeAway } from '../take-away.ts';

const sweepsOfARound = 20;
const laterTriesPerSecond = 100;

/** Medians of the rounds, in milliseconds; the runs that the queue holds at most, of all that are parked. */
export type Parked = { rows: number; fullMs: number[]; emptyMs: number[]; handedOver: number; mostInQueue: number };

/** The sweep over a day's reminders that wait in the database, in turns with the one over a database without any. */
export async function parkedBench({ kanal, floor: empty }: Stage, rows: number, rounds: number): Promise<Parked> {
  await fill(kanal, rows);
  for (const { sql } of [kanal, empty]) await sql.query('vacuum analyze jobs');
  const [full, none] = [await openKanal(kanal), await openKanal(empty)];
  const result: Parked = { rows, fullMs: [], emptyMs: [], handedOver: 0, mostInQueue: 0 };
  try {
    for (const product of [full, none]) await swept(product);
    for (let number = 0; number < rounds; number += 1)
      for (const isFull of number % 2 === 0 ? [true, false] : [false, true]) {
        const took: number[] = [];
        for (let sweeps = 0; sweeps < sweepsOfARound; sweeps += 1) {
          const { ms, parked } = await swept(isFull ? full : none);
          took.push(ms);
          if (!isFull) continue;
          result.handedOver += parked;
          result.mostInQueue = Math.max(result.mostInQueue, await inQueue(full));
        }
        (isFull ? result.fullMs : result.emptyMs).push(median(took));
      }
  } finally {
    for (const product of [full, none]) await product.close();
    await takeAway(kanal.sql, isLive);
  }
  return result;
}

/** Due over the next day, as the reminders of tasks are; the first of them within a second. */
async function fill({ sql, tenant }: Side, rows: number) {
  await sql.query(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, run_at, check_at)
     select uuidv7(), $1, $3, $4, '{}', $5, uuidv7(), 'queued', due, due - interval '20 s'
       from generate_series(1, $2::int) n, lateral (select clock_timestamp() + n * interval '1 day' / $2::int as due) x`,
    [tenant.organizationId, rows, remindOfTask.name, remindOfTask.queue, remindOfTask.subjectType],
  );
}

async function swept({ database, queues, ledger, log }: Kanal) {
  const startedAt = performance.now();
  const { parked } = await sweep({ database, queues, ledger, log, config: { laterTriesPerSecond } });
  return { ms: performance.now() - startedAt, parked };
}

const inQueue = async ({ queues }: Kanal) =>
  queues.queue(remindOfTask.queue)!.getJobCountByTypes('waiting', 'prioritized', 'delayed', 'active');

export function parkedReport({ rows, fullMs, emptyMs, handedOver, mostInQueue }: Parked): string {
  const [full, empty] = [median(fullMs), median(emptyMs)];
  const range = (values: number[]) => `${Math.min(...values).toFixed(1)}-${Math.max(...values).toFixed(1)}`;
  return [
    '| rows parked | sweep ms | range | without any | range | ratio | handed over meanwhile | most in the queue |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    `| ${rows} | ${full.toFixed(1)} | ${range(fullMs)} | ${empty.toFixed(1)} | ${range(emptyMs)} | **${(full / empty).toFixed(2)}** | ${handedOver} | ${mostInQueue} |`,
  ].join('\n');
}
