import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../../src/platform/database/query.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { answered } from '../answered.ts';
import { randomFrom, seed } from '../options.ts';
import { type BackendName, limitMs, type Stack, startStack } from '../stack.ts';
import {
  expectCalledOnce,
  expectEachMinute,
  expectEffectsOnce,
  expectRunsOnce,
  expectStats,
  expectWholeWay,
  findRuns,
  findSteps,
} from './agreement.ts';
import { startCalled } from './calls.ts';
import { countsOf, disturb } from './disturb.ts';
import { automationSizes } from './options.ts';
import { addPeople, expectedRuns } from './people.ts';
import { publishRules } from './rules.ts';

const { runs: people, kills, maxPauseMs } = automationSizes;
/** So long nothing may stand still. */
const standstillMs = 120_000;

let stack: Stack;
let called: Awaited<ReturnType<typeof startCalled>>;
afterEach(async () => {
  called.close();
  await stack.stop();
});

type Progress = { ended: number; ticked: number; open: number };
const progressStatement = `
  with runs as (
    select count(*) filter (where rule_id = $1 and ended_at is not null)::int as ended,
           count(*) filter (where rule_id = $2 and ended_at is not null)::int as ticked,
           count(*) filter (where state in ('queued', 'running'))::int as live
      from automation_runs)
  select ended, ticked,
         live + (select count(*)::int from jobs where name = 'automation.evaluate')
              + (select count(*)::int from provider_webhooks where state = 'received') as open
    from runs`;

/** A look counts all runs: it takes at most a tenth of the time. */
const lookShare = 0.1;

/** How far the runs of all people are, looked at all the time. */
function follow(ids: { once: string; minutely: string }) {
  let [now, isOver]: [Progress, boolean] = [{ ended: 0, ticked: 0, open: 0 }, false];
  const looking = (async () => {
    for (let tookMs = 0; !isOver; await sleep(Math.max(300, tookMs / lookShare))) {
      const startedAt = performance.now();
      const [row] = await query<Progress>(stack.database.em(), progressStatement, [ids.once, ids.minutely]).catch(() => []);
      if (row) now = row;
      tookMs = performance.now() - startedAt;
    }
  })();
  return {
    done: () => now.ended / people,
    /** Until all runs have ended, and the schedule had its first. */
    async untilDone() {
      let last = '';
      for (let movedAt = Date.now(); Date.now() < movedAt + standstillMs; await sleep(300)) {
        if (now.ended === people && now.ticked > 0 && now.open === 0) return;
        if (JSON.stringify(now) !== last) [last, movedAt] = [JSON.stringify(now), Date.now()];
      }
      const jobs = await query(
        stack.database.em(),
        `select name, pool, state, attempts, run_at - now() as due, error from jobs limit 20`,
      );
      throw new Error(`Not done: ${last} ${JSON.stringify(jobs)}\n${stack.workerOutput().slice(-3_000)}`);
    },
    end: () => {
      isOver = true;
      return looking;
    },
  };
}

test.each<BackendName>(['postgres', 'redis'])(
  'each event has one run of each rule, with its effects once and its call once, whatever is killed, emptied and restarted: %s',
  async (backend) => {
    process.stdout.write(`automations, ${backend}: seed ${seed}\n`);
    called = await startCalled(randomFrom(seed + 1));
    // A worker that a busy machine holds up for seconds is not dead, and no call of it is lost.
    stack = await startStack({ backend, env: { LOCK_DURATION_MS: '8000' }, workerEnv: () => ({ LOG_LEVEL: 'warn' }) });
    await stack.connect();
    const ids = await publishRules(stack, called.url);
    const startedAt = performance.now();
    const progress = follow(ids);
    const [, faults] = await Promise.all([
      addPeople(stack, people, progress.done),
      disturb(stack, progress.done, { random: randomFrom(seed), kills, maxPauseMs }),
    ]);
    await progress.untilDone();
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    expect((await answered(stack, 'POST', `/v1/automation/rules/${ids.minutely}/pause`)).status).toBe(200);
    await sleep(600);
    await progress.untilDone();
    await progress.end();

    const [runs, steps] = [await findRuns(stack), await findSteps(stack)];
    const expected = expectedRuns(people);
    expectRunsOnce(runs, expected);
    const ticks = expectEachMinute(runs);
    expectWholeWay(runs, steps);
    await expectEffectsOnce(stack, steps, people);
    const unknown = expectCalledOnce(runs, steps, called.calls.POST, faults);
    const failed = unknown.lost + unknown.byFaults;
    for (const [name, total] of Object.entries(expected)) {
      const not = name === 'once' ? failed : 0;
      const states = { cancelled: 0, failed: not, queued: 0, running: 0, succeeded: total - not, total };
      await expectStats(stack, ids[name as keyof typeof expected], states);
    }
    const { acted } = called.calls.PUT;
    const twice = [...acted.values()].filter((times) => times > 1).length;
    process.stdout.write(
      `automations, ${backend}: ${people} people, ${runs.length} runs in ${seconds} s, ${JSON.stringify(countsOf(faults))}, ${unknown.lost} answers not given, ${unknown.byFaults} lost by faults, ${twice} of ${acted.size} idempotent calls made again, ${ticks} minutes\n`,
    );
    expect(await checkJobs(stack.database)).toEqual([]);
  },
  Math.max(limitMs, people * 60),
);
