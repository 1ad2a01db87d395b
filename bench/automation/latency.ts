import { setTimeout as sleep } from 'node:timers/promises';
import { type Process, startProcess } from '../processes.ts';
import type { Side, Stage } from '../stage.ts';
import { median, percentile } from '../statistics.ts';
import { addContacts } from './queue-runs.ts';
import { addRule, dropRules } from './rule.ts';

/** A contact may begin ten runs of a rule in an hour. */
const contacts = 20_000;
const burst = 2_000;
const longestMs = 120_000;
const aim = { p50: 100, p99: 500 };

/** The bench reads the times of commits. */
export const latencySettings = { track_commit_timestamp: 'on' };

export type RuleLatency = { perSecond: number; full: number; rounds: { p50: number; p99: number }[] };

/**
 * From the commit of an event to the commit of what a rule does about it: an evaluation and a run of one step, by a worker of the queue, at an even pace
 * of half the events a second that it works off when they come all at once.
 */
export async function ruleLatency({ kanal }: Stage, rounds: number, seconds: number): Promise<RuleLatency> {
  const { sql, tenant } = kanal;
  await addContacts(sql, tenant.organizationId, contacts);
  await addRule(sql, tenant.organizationId, {
    trigger: { type: 'event', event: 'contact.updated' },
    steps: [{ id: 'task', type: 'create_task', title: 'Look at {{ contact.name }}' }],
  });
  const [emitter, worker] = [startProcess('bench/automation/emitter.ts', kanal.env), kanal.startWorker('automations')];
  try {
    // Its first word: whatever is asked before is not heard.
    await emitter.ask('ready');
    await sleep(2_500);
    await round(kanal, emitter, 50, 200);
    const { rate: full } = await round(kanal, emitter, 100_000, burst);
    const perSecond = Math.max(1, Math.round(full / 2));
    const result: RuleLatency = { perSecond, full, rounds: [] };
    for (let number = 0; number < rounds; number += 1) {
      const { p50, p99 } = await round(kanal, emitter, perSecond, perSecond * seconds);
      console.error(`automation-latency: round ${number + 1}, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
      result.rounds.push({ p50, p99 });
    }
    return result;
  } finally {
    await Promise.all([emitter.stop(), worker.stop()]);
    await dropRules(sql);
  }
}

const tookStatement = `
  select (extract(epoch from pg_xact_commit_timestamp(e.xmin)) * 1000)::float8 as began,
         (extract(epoch from pg_xact_commit_timestamp(t.xmin)) * 1000)::float8 as done
    from events e
    join automation_runs r on r.organization_id = e.organization_id and r.event_id = e.id
    join crm_tasks t on t.organization_id = e.organization_id and t.created_by = 'run:' || r.id
   where e.organization_id = $1 and e.type = 'contact.updated' and e.seq > $2`;

async function round({ sql, tenant: { organizationId } }: Side, emitter: Process, perSecond: number, count: number) {
  const { rows: before } = await sql.query('select coalesce(max(seq), 0) as seq from events where organization_id = $1', [
    organizationId,
  ]);
  await emitter.ask({ endpointId: '', perSecond, count });
  const startedAt = performance.now();
  for (;;) {
    const { rows: left } = await sql.query(`select exists (select 1 from jobs where queue = 'automations') as is_open`);
    if (!left[0].is_open) break;
    if (performance.now() - startedAt > longestMs) throw new Error('automation-latency: not done after two minutes');
    await sleep(50);
  }
  const { rows } = await sql.query<{ began: number; done: number }>(tookStatement, [organizationId, before[0].seq]);
  if (rows.length !== count) throw new Error(`automation-latency: ${rows.length} of ${count}`);
  await sql.query('vacuum analyze jobs, automation_runs, automation_steps, crm_tasks, events');
  const took = rows.map(({ began, done }) => done - began);
  const wholeMs = Math.max(...rows.map(({ done }) => done)) - Math.min(...rows.map(({ began }) => began));
  return { rate: (count / wholeMs) * 1000, p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
}

export function ruleLatencyReport({ perSecond, full, rounds }: RuleLatency): string {
  const [p50, p99] = [median(rounds.map((one) => one.p50)), median(rounds.map((one) => one.p99))];
  const all = (pick: 'p50' | 'p99') => rounds.map((one) => one[pick].toFixed(1)).join(', ');
  const isHeld = p50 <= aim.p50 && p99 <= aim.p99;
  return [
    `${perSecond} events a second, half of the ${full.toFixed(0)} that are worked off when they come all at once.`,
    '',
    '| event committed → action committed | ms | aim | rounds |',
    '| --- | --- | --- | --- |',
    `| p50 | **${p50.toFixed(1)}** | ≤ ${aim.p50} | ${all('p50')} |`,
    `| p99 | **${p99.toFixed(1)}** | ≤ ${aim.p99} | ${all('p99')} |`,
    '',
    `${isHeld ? 'Held' : '**Not held**'}.`,
  ].join('\n');
}
