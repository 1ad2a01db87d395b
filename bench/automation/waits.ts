import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '../../src/automation/definition/definition.ts';
import { automationPool } from '../../src/automation/jobs.ts';
import { poolOf } from '../../src/platform/ledger/pools.ts';
import { type HandOver, openHandOver } from '../hand-over.ts';
import { type Kanal, openKanal } from '../long/kanal.ts';
import type { Side, Stage } from '../stage.ts';
import { percentile } from '../statistics.ts';
import { openMessage } from '../victims/message.ts';
import type { Met } from '../victims/victim.ts';
import { addWaitingRuns, moveWaits, queueRuns } from './queue-runs.ts';
import { addRule, dropRules } from './rule.ts';

const queue = 'automations';
/** More are no better a measure of their rate. */
const mostFresh = 10_000;
/** What is parked is given to the queue 20 s before it is due. */
const leadMs = 25_000;
const lookMs = 250;
const work: Step = { id: 'task', type: 'create_task', title: 'Look at {{ contact.name }}' };
const wait: Step = { id: 'wait', type: 'wait', for: { hours: 1 } };

export type Waits = {
  count: number;
  /** `LATER_TRIES_PER_SECOND`. */
  later: number;
  /** Runs in BullMQ while all wait, and while they are due. */
  mostWhileWaiting: number;
  mostWhileDue: number;
  fresh: { count: number; perSecond: number };
  due: { perSecond: number };
  message: Record<'idle' | 'fresh' | 'due', Met[]>;
};

/**
 * Runs that wait for one moment: what of them is in the queue meanwhile; then how fast they are worked off once it has come, beside runs that have just
 * begun and do the same, with messages of the same organization beside both.
 */
export async function waitsBench(
  stage: Stage,
  { waits, later, rounds, seconds }: { waits: number; later: number; rounds: number; seconds: number },
): Promise<Waits> {
  const { kanal } = stage;
  const { sql, tenant } = kanal;
  const { organizationId } = tenant;
  const [freshRule, waitingRule] = [
    await addRule(sql, organizationId, { steps: [work] }),
    await addRule(sql, organizationId, { steps: [wait, work] }),
  ];
  const handOver = await openHandOver(kanal, queue);
  const product = await openKanal(kanal);
  const more = { LATER_TRIES_PER_SECOND: String(later) };
  const { process: web, base } = await kanal.startWeb(more);
  const worker = kanal.startWorker('', more);
  const victim = await openMessage(stage, base, false);
  const result: Waits = {
    ...{ count: waits, later, mostWhileWaiting: 0, mostWhileDue: 0 },
    ...{ fresh: { count: Math.min(waits, mostFresh), perSecond: 0 }, due: { perSecond: 0 } },
    message: { idle: [], fresh: [], due: [] },
  };
  const inQueue = () => inQueueOf(product);
  const endsOf = (ruleId: string, count: number) => untilEnded(kanal, ruleId, count);
  /** Messages beside a work until it is over. */
  async function beside<Result>(met: Met[], isDone: Promise<Result>): Promise<Result> {
    let isOver = false;
    const over = isDone.finally(() => {
      isOver = true;
    });
    do met.push(await victim.round(seconds));
    while (!isOver);
    return over;
  }
  try {
    await victim.round(1);
    for (let number = 0; number < rounds; number += 1) result.message.idle.push(await victim.round(seconds));

    // What a process does only once must not count.
    await freshRuns(kanal, handOver, freshRule, Math.min(200, waits));
    await endsOf(freshRule, Math.min(200, waits));
    const { count } = result.fresh;
    const startFresh = await freshRuns(kanal, handOver, freshRule, count);
    const freshMs = await beside(
      result.message.fresh,
      endsOf(freshRule, count + Math.min(200, waits)).then((at) => at - startFresh),
    );
    result.fresh.perSecond = (count / freshMs) * 1000;
    console.error(`automation-waits: ${result.fresh.perSecond.toFixed(0)} fresh runs a second`);

    await addWaitingRuns(sql, { organizationId, ruleId: waitingRule, count: waits }, new Date(Date.now() + 3_600_000));
    for (const until = Date.now() + 10_000; Date.now() < until; await sleep(lookMs))
      result.mostWhileWaiting = Math.max(result.mostWhileWaiting, await inQueue());
    console.error(`automation-waits: ${waits} wait, at most ${result.mostWhileWaiting} in the queue`);

    await moveWaits(sql, organizationId, new Date(Date.now() + leadMs));
    const { rows } = await sql.query<{ left_ms: number }>(
      `select (extract(epoch from max(wakes_at) - clock_timestamp()) * 1000)::float8 as left_ms from automation_runs where rule_id = $1`,
      [waitingRule],
    );
    await sleep(Math.max(0, rows[0]!.left_ms));
    const startDue = performance.now();
    const watch = setInterval(async () => {
      result.mostWhileDue = Math.max(result.mostWhileDue, await inQueue());
    }, lookMs);
    const dueMs = await beside(
      result.message.due,
      endsOf(waitingRule, waits).then((at) => at - startDue),
    ).finally(() => clearInterval(watch));
    result.due.perSecond = (waits / dueMs) * 1000;
    return result;
  } finally {
    await Promise.all([web.stop(), worker.stop(), handOver.close(), victim.close()]);
    await product.close();
    await dropRules(sql);
  }
}

/** When they were given to the queue. */
async function freshRuns({ sql, tenant }: Side, handOver: HandOver, ruleId: string, count: number): Promise<number> {
  const { organizationId } = tenant;
  await queueRuns(sql, { organizationId, ruleId, count });
  const startedAt = performance.now();
  await handOver.run(poolOf(organizationId, automationPool(organizationId)));
  return startedAt;
}

/** When the last of them had. Throws unless each made its task. */
async function untilEnded({ sql, tenant: { organizationId } }: Side, ruleId: string, count: number): Promise<number> {
  for (;;) {
    const { rows } = await sql.query(
      `select exists (select 1 from automation_runs where organization_id = $1 and rule_id = $2 and state in ('queued', 'running')) as is_open`,
      [organizationId, ruleId],
    );
    if (!rows[0].is_open) break;
    await sleep(lookMs);
  }
  const at = performance.now();
  const { rows } = await sql.query(
    `select count(*)::int as count, count(distinct r.id)::int as runs
       from automation_runs r join crm_tasks t on t.organization_id = r.organization_id and t.created_by = 'run:' || r.id
      where r.organization_id = $1 and r.rule_id = $2 and r.state = 'succeeded'`,
    [organizationId, ruleId],
  );
  if (rows[0].count !== count || rows[0].runs !== count)
    throw new Error(`automation-waits: ${rows[0].runs} runs made ${rows[0].count} tasks, of ${count}`);
  return at;
}

const inQueueOf = ({ queues }: Kanal) => queues.queue(queue)!.getJobCountByTypes('waiting', 'prioritized', 'delayed', 'active');

const mostInQueue = 1_000;
const aims = { rate: 0.8, message: 2 };

export function waitsReport({ count, later, mostWhileWaiting, mostWhileDue, fresh, due, message }: Waits): string {
  const whole = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 0 });
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
  const held = (isHeld: boolean) => (isHeld ? 'yes' : '**no**');
  const of = (met: Met[]) => ({
    p50: percentile(
      met.map((one) => one.p50),
      0.5,
    ),
    p99: percentile(
      met.map((one) => one.p99),
      0.5,
    ),
    late: met.reduce((sum, one) => sum + one.late, 0),
    samples: met.reduce((sum, one) => sum + one.samples, 0),
  });
  const [idle, besideFresh, besideDue] = [of(message.idle), of(message.fresh), of(message.due)];
  const [rate, ratio] = [due.perSecond / fresh.perSecond, besideDue.p99 / idle.p99];
  const messages = (name: string, { p50, p99, samples, late }: typeof idle) =>
    line([name, `${p50.toFixed(1)} / ${p99.toFixed(1)}`, (p99 / idle.p99).toFixed(2), late, samples]);
  return [
    `${whole(count)} runs wait, \`LATER_TRIES_PER_SECOND=${later}\`; ${whole(fresh.count)} fresh ones do the same step.`,
    '',
    line(['what', 'measured', 'aim', 'held']),
    line(['---', '---', '---', '---']),
    line(['in the queue while all wait', mostWhileWaiting, `< ${whole(mostInQueue)}`, held(mostWhileWaiting < mostInQueue)]),
    line(['in the queue while they are due', mostWhileDue, '', '']),
    line([
      'worked off a second, due at one moment / fresh',
      `${whole(due.perSecond)} / ${whole(fresh.perSecond)} = **${rate.toFixed(2)}**`,
      `≥ ${aims.rate}`,
      held(rate >= aims.rate),
    ]),
    line(['p99 of a message, beside them / idle', `**${ratio.toFixed(2)}**`, `≤ ${aims.message}`, held(ratio <= aims.message)]),
    '',
    line(['a message accepted to sent, 50 a second, beside', 'p50 / p99 ms', 'ratio of p99', 'late', 'samples']),
    line(['---', '---', '---', '---', '---']),
    messages('nothing', idle),
    messages('fresh runs', besideFresh),
    messages('runs due at one moment', besideDue),
  ].join('\n');
}
