import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { Ask } from '../../platform/listing/paging.ts';
import type { BranchStep, Step, WaitForStep } from '../definition/definition.ts';
import type { AutomationStep } from '../run.entity.ts';
import { type RunStats, statsOf } from '../runs/stats.ts';
import type { HeldReason, StepState } from '../states.ts';
import { getRule, heldBy } from './rule-row.ts';
import { getVersion } from './versions.ts';

/** Of so many of its runs, the newest, the steps are counted: a rule may have millions. */
export const maxCountedRuns = 10_000;

type Counted = RowOf<typeof AutomationStep, 'step_id' | 'type' | 'state'> & { count: number };
export type StepStats = { step_id: string; type: string; done: number; failed: number; waiting: number; skipped: number };

/** SQL: the newest runs by an index, and their steps by their key. */
const stepsStatement = `
  with newest as materialized (
    select id
      from automation_runs
     where organization_id = $1 and rule_id = $2
     order by created_at desc, id desc
     limit $3),
  counted as (
    select s.step_id, s.type, s.state, count(*)::int as count
      from newest n
      join automation_steps s on s.organization_id = $1 and s.run_id = n.id
     group by s.step_id, s.type, s.state)
  select (select count(*)::int from newest) as runs,
         coalesce((select jsonb_agg(counted order by step_id, type, state) from counted), '[]') as counted`;

export type RuleStats = {
  runs: RunStats;
  held: Partial<Record<HeldReason, number>>;
  steps: StepStats[];
  steps_of: number;
};

/** Steps in the order of the published version, then those of earlier ones. Throws 404. */
export async function statsOfRule(ask: Ask, own: Own, id: string, max = maxCountedRuns): Promise<RuleStats> {
  const { version, draft } = await getRule(own, id);
  const { steps } = version === 0 ? draft : (await getVersion(own, id, version)).definition;
  const [row] = await ask<{ runs: number; counted: Counted[] }>(stepsStatement, [own.organizationId, id, max]);
  const held = (await heldBy(own, [id])).get(id)!;
  return { runs: await statsOf(own, id), held, steps: [...byStep(steps, row!.counted).values()], steps_of: row!.runs };
}

/** A call that has not answered waits, too. */
const shownAs: Record<StepState, keyof Omit<StepStats, 'step_id' | 'type'>> = {
  done: 'done',
  failed: 'failed',
  waiting: 'waiting',
  calling: 'waiting',
  skipped: 'skipped',
};

function byStep(steps: Step[], counted: Counted[]): Map<string, StepStats> {
  const found = new Map<string, StepStats>();
  const of = (step_id: string, type: string) => {
    const key = `${step_id} ${type}`;
    if (!found.has(key)) found.set(key, { step_id, type, done: 0, failed: 0, waiting: 0, skipped: 0 });
    return found.get(key)!;
  };
  for (const { id, type } of allSteps(steps)) of(id, type);
  for (const { step_id, type, state, count } of counted) of(step_id, type)[shownAs[state]] += count;
  return found;
}

/** With those of branches and of both ends of a wait, as they stand. */
function* allSteps(steps: Step[]): Generator<Step> {
  for (const step of steps) {
    yield step;
    if (step.type === 'branch') {
      const { branches, else: otherwise = [] } = step as BranchStep;
      for (const branch of branches) yield* allSteps(branch.steps);
      yield* allSteps(otherwise);
    }
    if (step.type === 'wait_for') {
      const { on_event = [], on_timeout = [] } = step as WaitForStep;
      yield* allSteps([...on_event, ...on_timeout]);
    }
  }
}
