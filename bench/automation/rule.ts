import type pg from 'pg';
import type { Definition, Step } from '../../src/automation/definition/definition.ts';
import { automationPool } from '../../src/automation/jobs.ts';
import { poolWidth } from '../../src/automation/limits.ts';
import { uuidv7 } from '../../src/platform/ids.ts';

/** The work that runs are measured by: a row of each kind, with what belongs to it. */
export const threeSteps: Step[] = [
  { id: 'tag', type: 'add_tag', tag: 'vip' },
  { id: 'task', type: 'create_task', title: 'Call {{ contact.name }}', task_type: 'call' },
  { id: 'deal', type: 'create_deal', title: 'Request of {{ contact.name }}', amount_minor: '10000', currency_code: 'USD' },
];

/** As a publish leaves it. Its id. */
export async function addRule(sql: pg.Pool, organizationId: string, given: Partial<Definition>): Promise<string> {
  const id = uuidv7();
  const definition: Definition = {
    ...{ trigger: { type: 'manual' }, conditions: null, steps: [], concurrency: 'each', exit_when: null, limits: {} },
    ...given,
  };
  const { trigger } = definition;
  const eventType = trigger.type === 'event' ? trigger.event : null;
  await sql.query(
    `insert into automation_rules (organization_id, id, name, status, draft, version, event_type, published_at)
     values ($1, $2, 'Bench', 'live', $3, 1, $4, clock_timestamp())`,
    [organizationId, id, JSON.stringify(definition), eventType],
  );
  await sql.query('insert into automation_rule_versions (organization_id, rule_id, number, definition) values ($1, $2, 1, $3)', [
    ...[organizationId, id, JSON.stringify(definition)],
  ]);
  await sql.query('insert into pools (organization_id, id, width, rate) values ($1, $2, $3, null) on conflict do nothing', [
    ...[organizationId, automationPool(organizationId), poolWidth],
  ]);
  return id;
}

/** It and its runs are no more. */
export async function dropRules(sql: pg.Pool): Promise<void> {
  await sql.query('truncate automation_rules cascade');
}
