import type { Own } from '../../platform/database/own.ts';
import type { Conditions } from '../conditions/conditions.ts';
import { holds, rootsOf } from '../conditions/evaluate.ts';
import { loadFacts } from '../conditions/facts.ts';
import type { SubjectType } from '../definition/definition.ts';
import { outputsOf } from '../runs/outputs.ts';
import { waitedFor } from '../runs/position.ts';
import { clockOf } from './clock.ts';
import type { ReadVersions } from './definitions.ts';
import type { EvaluatedEvent } from './event.ts';

type WaitingRun = {
  id: string;
  rule_id: string;
  version: number;
  subject_type: SubjectType;
  subject_id: string;
  contact_id: string | null;
  position: unknown;
  vars: Record<string, unknown>;
};

/**
 * SQL: a set of ids. A wait that began after the event is not for it, as when the run was just woken by it; nor is one that was written with the event, which
 * is what the run did right before: they are rows of one transaction. `coalesce`: no index of states fits, so
 * runs are found by their ids (ledger/states.ts).
 */
const findStatement = `
  select r.id, r.rule_id, r.version, r.subject_type, r.subject_id, r.contact_id, r.position, r.vars
    from automation_runs r
   where r.organization_id = $1
     and coalesce(r.state, '') = 'running'
     and r.id in (
           select w.run_id
             from automation_waits w
             join events e on e.organization_id = $1 and e.id = $4 and e.created_at > w.created_at and e.xmin <> w.xmin
            where w.organization_id = $1 and w.event_type = $2 and w.subject_id = any($3::uuid[]))
   order by r.id`;

/** The runs that wait for the event: about one of `subjects`, with what their step asks of it. */
export async function awaitedBy(own: Own, event: EvaluatedEvent, subjects: string[], read: ReadVersions): Promise<string[]> {
  const runs = await own.sql<WaitingRun>(findStatement, [event.type, subjects, event.id]);
  if (runs.length === 0) return [];
  const versions = await read(
    own,
    runs.map((run) => ({ id: run.rule_id, version: run.version })),
  );
  const woken: string[] = [];
  for (const run of runs) {
    const steps = versions.of({ id: run.rule_id, version: run.version })?.definition.steps ?? [];
    const step = waitedFor(steps, run.position);
    if (step?.event === event.type && (await isMet(own, event, run, step.conditions ?? null))) woken.push(run.id);
  }
  return woken;
}

async function isMet(own: Own, event: EvaluatedEvent, run: WaitingRun, conditions: Conditions | null): Promise<boolean> {
  if (conditions === null) return true;
  const roots = rootsOf(conditions);
  const facts = await loadFacts(
    own,
    {
      eventId: event.id,
      subjectType: run.subject_type,
      subjectId: run.subject_id,
      contactId: run.contact_id,
      vars: run.vars,
      steps: roots.has('steps') ? await outputsOf(own, run.id) : {},
    },
    roots,
  );
  return holds(conditions, facts, clockOf(facts)).holds;
}
