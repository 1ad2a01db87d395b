import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { query } from '../../../src/platform/database/query.ts';
import type { Stack } from '../stack.ts';
import type { Called } from './calls.ts';
import type { Fault } from './disturb.ts';
import type { RuleName } from './rules.ts';

export type Run = {
  id: string;
  rule: RuleName;
  state: string;
  event_id: string | null;
  occurs_at: Date | null;
  error: { code: string } | null;
  failed_step: string | null;
};
export type Step = {
  run_id: string;
  step_id: string;
  state: string;
  output: { task_id?: string; deal_id?: string; is_new?: boolean } | null;
  from: number;
  until: number;
};

export const findRuns = (stack: Stack) =>
  query<Run>(
    stack.database.em(),
    `select r.id, u.name as rule, r.state, r.event_id, r.occurs_at, r.error, r.failed_step
       from automation_runs r
       join automation_rules u on u.organization_id = r.organization_id and u.id = r.rule_id`,
  );

export const findSteps = (stack: Stack) =>
  query<Step>(
    stack.database.em(),
    `select run_id, step_id, state, output,
            extract(epoch from started_at)::float8 * 1000 as from, extract(epoch from ended_at)::float8 * 1000 as until
       from automation_steps`,
  );

/** A name by itself, and only the first few of what is wrong. */
const none = (name: string, wrong: unknown[]) =>
  expect({ [name]: wrong.slice(0, 3), total: wrong.length }).toEqual({ [name]: [], total: 0 });

const repeated = <Item>(items: Item[]) => items.filter((item, index) => items.indexOf(item) !== index);

/** As the API counts them; above 50,000 a few seconds later. */
export async function expectStats(stack: Stack, ruleId: string, expected: Record<string, number>): Promise<void> {
  let last: Record<string, number> = {};
  for (const until = Date.now() + 60_000; Date.now() < until; await sleep(1_000)) {
    last = (await stack.call<Record<string, number>>('GET', `/v1/automation/runs/stats?rule_id=${ruleId}`)).body;
    if (Object.entries(expected).every(([state, count]) => last[state] === count)) break;
  }
  expect(last).toEqual(expected);
}

/** Each rule has one run for each of its events, and no other. */
export function expectRunsOnce(runs: Run[], expected: Record<string, number>) {
  const byRule = Map.groupBy(runs, ({ rule }) => rule as string);
  for (const [name, count] of Object.entries(expected)) {
    const ofRule = byRule.get(name) ?? [];
    expect({ name, runs: ofRule.length }).toEqual({ name, runs: count });
    expect({ name, events: new Set(ofRule.map(({ event_id }) => event_id)).size }).toEqual({ name, events: count });
  }
}

/** Each minute since the first one once. */
export function expectEachMinute(runs: Run[]) {
  const minutes = runs
    .filter(({ rule }) => rule === 'minutely')
    .map(({ occurs_at }) => new Date(occurs_at!).getTime() / 60_000)
    .sort((one, other) => one - other);
  expect(minutes).toEqual(minutes.map((_, index) => minutes[0]! + index));
  return minutes.length;
}

/** What its runs say that they made is what there is, and each of a name of its own. */
export async function expectEffectsOnce(stack: Stack, steps: Step[], people: number) {
  const find = (table: string) => query<{ id: string; title: string }>(stack.database.em(), `select id, title from ${table}`);
  const made = (name: 'task_id' | 'deal_id') => steps.map(({ output }) => output?.[name]).filter((id) => id !== undefined);
  const [tasks, deals] = [await find('crm_tasks'), await find('deals')];
  const titles = [...tasks, ...deals].map(({ title }) => title).filter((title) => title !== 'Look around');
  expect(new Set(titles).size).toBe(titles.length);
  expect(new Set(made('task_id'))).toEqual(new Set(tasks.map(({ id }) => id)));
  expect(made('task_id').length).toBe(tasks.length);
  expect(new Set(made('deal_id'))).toEqual(new Set(deals.map(({ id }) => id)));
  expect(made('deal_id').length).toBe(deals.length);
  expect(deals.length).toBe(people);
  const tagged = steps.filter(({ step_id, state }) => step_id === 'tag' && state === 'done');
  none(
    'tags assigned before',
    tagged.filter(({ output }) => output?.is_new !== true),
  );
  const [tags] = await query<{ total: number }>(stack.database.em(), 'select count(*)::int as total from contact_tags');
  expect(tags!.total).toBe(tagged.length);
}

type Unknown = { lost: number; byFaults: number };

/**
 * A call that is not idempotent was made once at most. Its run failed where its answer was lost, and only there: the receiver gave none, or a fault struck
 * while it was under way.
 */
export function expectCalledOnce(runs: Run[], steps: Step[], called: Called, faults: Fault[]): Unknown {
  none(
    'called twice',
    [...called.acted].filter(([, times]) => times > 1),
  );
  const ofRule = runs.filter(({ rule }) => rule === 'once');
  const failed = ofRule.filter(({ state }) => state !== 'succeeded');
  none(
    'failed otherwise',
    failed.filter(({ state, error, failed_step }) => `${state} ${failed_step} ${error?.code}` !== 'failed call outcome_unknown'),
  );
  none(
    'succeeded without a call',
    ofRule.filter(({ id, state }) => state === 'succeeded' && !called.acted.has(`${id}.call`)),
  );
  const keys = new Set(failed.map(({ id }) => `${id}.call`));
  none(
    'not known as lost',
    [...called.unanswered].filter((key) => !keys.has(key)),
  );
  const callOf = new Map(steps.filter(({ step_id }) => step_id === 'call').map((step) => [step.run_id, step]));
  const others = failed.filter(({ id }) => !called.unanswered.has(`${id}.call`));
  const isStruck = ({ from, until }: Step) => faults.some((fault) => fault.from <= until && from <= fault.until);
  none(
    'lost without a fault',
    others.map(({ id }) => callOf.get(id)!).filter((step) => !isStruck(step)),
  );
  return { lost: called.unanswered.size, byFaults: others.length };
}

/** Each run went its whole way, and took no step twice. */
export function expectWholeWay(runs: Run[], steps: Step[]) {
  const whole = { once: 4, again: 2, later: 4, heard: 1, minutely: 1 };
  const byRun = Map.groupBy(steps, ({ run_id }) => run_id);
  const taken = ({ id }: Run) => (byRun.get(id) ?? []).map(({ step_id }) => step_id);
  none(
    'steps',
    runs.filter((run) => taken(run).length !== whole[run.rule] || repeated(taken(run)).length > 0),
  );
  none(
    'not succeeded',
    runs.filter(({ rule, state }) => rule !== 'once' && state !== 'succeeded'),
  );
}
