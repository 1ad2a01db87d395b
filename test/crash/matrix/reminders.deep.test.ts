import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../../src/platform/database/query.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { waitFor } from '../../support/wait-for.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { randomFrom, seed } from '../options.ts';
import { type BackendName, limitMs, type Stack, startStack } from '../stack.ts';
import { type FaultKind, strike } from './faults.ts';
import { matrixSizes } from './options.ts';
import { surely } from './work.ts';

let stack: Stack;
afterEach(() => stack.stop());

const { reminders } = matrixSizes;
/** They are due within so many seconds, the first after so many. */
const [withinSeconds, firstInSeconds] = [10, 3];
const faults: FaultKind[] = ['workers', 'queue', 'worker', 'database', 'workers', 'queue', 'worker'];
/** All are told so long after the last fault, or the last of their times. */
const maxLateMs = 30_000;

async function createTasks() {
  let next = 0;
  const one = async () => {
    while (next < reminders) {
      const number = next++;
      // An hour away, so that each is parked.
      const due_at = new Date(Date.now() + 3_600_000).toISOString();
      await surely(stack, '/v1/crm/tasks', { title: `Task ${number}`, due_at });
    }
  };
  await Promise.all(Array.from({ length: 10 }, one));
}

/** As if the hour had passed: the same rows, with times that are evenly spread over the seconds. */
const passTheHour = `
  with placed as (
    select id,
           clock_timestamp() + $1 * interval '1 s' + row_number() over (order by id) * $2 * interval '1 s' / $3 as at
      from crm_tasks),
  tasks as (
    update crm_tasks t
       set due_at = p.at
      from placed p
     where p.id = t.id)
  update jobs j
     set run_at = p.at,
         check_at = p.at - interval '20 s'
    from placed p
   where p.id = j.subject_id`;

const told = `
  select count(distinct e.subject_id)::int as tasks,
         count(*)::int as events,
         count(*) filter (where e.created_at < t.due_at)::int as early,
         (extract(epoch from max(e.created_at)) * 1000)::float8 as last_at,
         (select (extract(epoch from max(due_at)) * 1000)::float8 from crm_tasks) as due_at
    from events e
    join crm_tasks t on t.id = e.subject_id
   where e.type = 'task.due'`;
type Told = { tasks: number; events: number; early: number; last_at: number; due_at: number };

test.each<BackendName>(['postgres', 'redis'])(
  'each reminder is told once and none too early, whatever is killed, emptied and restarted: %s',
  async (backend) => {
    stack = await startStack({ backend, workerEnv: () => ({ LOG_LEVEL: 'warn' }) });
    const rows = <Row>(text: string, params?: unknown[]) => query<Row>(stack.database.em(), text, params);
    const random = randomFrom(seed);
    await createTasks();
    await rows(passTheHour, [firstInSeconds, withinSeconds, reminders]);
    await sleep(firstInSeconds * 1_000);
    for (const kind of faults) {
      await sleep((withinSeconds * 1_000 * random()) / faults.length);
      await strike(stack, kind, random);
    }
    const faultsOver = Date.now();
    const read = async () => (await rows<Told>(told))[0]!;
    const left = () => jobRows.count(stack.database);
    await waitFor('all reminders', async () => (await read().catch(() => undefined))?.tasks === reminders);
    await waitFor('the end of all jobs', async () => (await left()) === 0);
    const { events, early, last_at, due_at } = await read();
    process.stdout.write(
      `${backend}: seed ${seed}, ${events} reminders, the last ${Math.round(last_at - Math.max(due_at, faultsOver))} ms after all\n`,
    );
    expect({ events, early }).toEqual({ events: reminders, early: 0 });
    expect(last_at - Math.max(due_at, faultsOver)).toBeLessThan(maxLateMs);
    expect(await checkJobs(stack.database)).toEqual([]);
  },
  limitMs,
);
