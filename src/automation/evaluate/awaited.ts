import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { Conditions } from '../conditions/conditions.ts';
import { holds, rootsOf } from '../conditions/evaluate.ts';
import { type Facts, loadFacts } from '../conditions/facts.ts';
import type { SubjectType } from '../definition/definition.ts';
import type { AutomationRun } from '../run.entity.ts';
import { definitionOf } from '../runs/definition-of.ts';
import { outputsOf } from '../runs/outputs.ts';
import { waitedFor } from '../runs/position.ts';
import { clockOf } from './clock.ts';
import type { Evaluating } from './definitions.ts';
import type { EvaluatedEvent } from './event.ts';

type WaitingRun = RowOf<
  typeof AutomationRun,
  'id' | 'rule_id' | 'version' | 'subject_id' | 'contact_id' | 'position' | 'vars'
> & {
  subject_type: SubjectType;
  rule_changed_at: string;
};

/**
 * SQL: a set of ids. A wait that began after the event is not for it, as when the run was just woken by it; nor is one that was written with the event, which
 * is what the run did right before: they are rows of one transaction. `coalesce`: no index of states fits, so
 * runs are found by their ids (ledger/states.ts).
 */
const findStatement = `
  select r.id, r.rule_id, r.version, r.subject_type, r.subject_id, r.contact_id, r.position, r.vars, a.updated_at::text as rule_changed_at
    from automation_runs r
    join automation_rules a on a.organization_id = r.organization_id and a.id = r.rule_id
   where r.organization_id = $1
     and coalesce(r.state, '') = 'running'
     and r.id in (
           select w.run_id
             from automation_waits w
             join events e on e.organization_id = $1 and e.id = $4 and e.created_at > w.created_at and e.xmin <> w.xmin
            where w.organization_id = $1 and w.event_type = $2 and w.subject_id = any($3::uuid[]) and w.run_id > $5)
   order by r.id
   limit $6`;

/** Runs of one transaction, which takes the lock of each. */
export const usualWakes = 100;
export const firstRun = '00000000-0000-0000-0000-000000000000';
/** `last`: the run after which the next ones are looked for; null: these were all. */
export type Awaited = { woken: string[]; last: string | null };

/** The next runs that wait for the event: about one of `subjects`, with what their step asks of it. In the order of their ids. */
export async function awaitedBy(
  { own, onFault, wakes = usualWakes }: Evaluating,
  event: EvaluatedEvent,
  subjects: string[],
  after: string,
): Promise<Awaited> {
  const runs = await own.sql<WaitingRun>(findStatement, [event.type, subjects, event.id, after, wakes]);
  const woken: string[] = [];
  for (const run of runs) {
    const { steps } = await definitionOf(own, run);
    const step = waitedFor(steps, run.position);
    if (step?.event !== event.type) continue;
    const facts = step.conditions ? await factsOf(own, event, run, step.conditions) : undefined;
    try {
      if (!facts || holds(step.conditions!, facts, clockOf(facts)).holds) woken.push(run.id);
    } catch (error) {
      onFault?.(error, run.rule_id);
    }
  }
  return { woken, last: runs.length === wakes ? runs.at(-1)!.id : null };
}

async function factsOf(own: Own, event: EvaluatedEvent, run: WaitingRun, conditions: Conditions): Promise<Facts> {
  const roots = rootsOf(conditions);
  return loadFacts(
    own,
    {
      eventId: event.id,
      subjectType: run.subject_type,
      subjectId: run.subject_id,
      contactId: run.contact_id,
      vars: run.vars,
      steps: roots.has('steps') ? await outputsOf(own, run.id) : {},
    },
    roots.add('organization'),
  );
}
