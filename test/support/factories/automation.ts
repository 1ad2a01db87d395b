import type { Definition } from '../../../src/automation/definition/definition.ts';
import type { RuleStatus, RunState } from '../../../src/automation/states.ts';
import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';

const definition: Definition = {
  trigger: { type: 'manual' },
  conditions: null,
  steps: [{ id: 'tag', type: 'add_tag', tag: 'seen' }],
  concurrency: 'skip',
  exit_when: null,
  limits: {},
};

/** A rule with its first version, as rows: nothing works on it. */
export async function rule(
  em: Em,
  organizationId: string,
  given: { status?: RuleStatus; definition?: Partial<Definition> } = {},
): Promise<{ id: string }> {
  const id = uuidv7();
  const whole = JSON.stringify({ ...definition, ...given.definition });
  await query(
    em,
    `insert into automation_rules (organization_id, id, name, status, draft, version) values ($1, $2, 'Welcome', $3, $4, 1)`,
    [organizationId, id, given.status ?? 'live', whole],
  );
  await query(em, 'insert into automation_rule_versions (organization_id, rule_id, number, definition) values ($1, $2, 1, $3)', [
    organizationId,
    id,
    whole,
  ]);
  return { id };
}

type Given = {
  ruleId: string;
  state?: RunState;
  subjectType?: string;
  subjectId?: string;
  contactId?: string | null;
  isExclusive?: boolean;
  vars?: object;
  createdAt?: string;
  endedAt?: string;
};

/** A run as a row: no job is at it. */
export async function automationRun(em: Em, organizationId: string, given: Given): Promise<{ id: string }> {
  const id = uuidv7();
  const { state = 'succeeded', contactId = null, createdAt = new Date().toISOString() } = given;
  const hasEnded = state !== 'queued' && state !== 'running';
  await query(
    em,
    `insert into automation_runs (organization_id, id, rule_id, version, state, trigger, subject_type, subject_id, contact_id, is_exclusive,
       vars, created_at, ended_at)
     values ($1, $2, $3, 1, $4, 'manual', $5, $6, $7, $8, $9, $10, $11)`,
    [
      organizationId,
      id,
      given.ruleId,
      state,
      given.subjectType ?? 'contact',
      given.subjectId ?? contactId ?? uuidv7(),
      contactId,
      given.isExclusive ?? false,
      JSON.stringify(given.vars ?? {}),
      createdAt,
      given.endedAt ?? (hasEnded ? createdAt : null),
    ],
  );
  return { id };
}

/** A step that a run took. */
export const stepOf = (
  em: Em,
  organizationId: string,
  runId: string,
  { number = 1, state = 'done', input, output }: { number?: number; state?: string; input?: object; output?: object } = {},
) =>
  query(
    em,
    `insert into automation_steps (organization_id, run_id, number, step_id, type, state, input, output, ended_at)
     values ($1, $2, $3, $7, 'add_tag', $4, $5, $6, case when $8 then clock_timestamp() end)`,
    [
      organizationId,
      runId,
      number,
      state,
      input ? JSON.stringify(input) : null,
      output ? JSON.stringify(output) : null,
      `step_${number}`,
      state !== 'calling' && state !== 'waiting',
    ],
  );
