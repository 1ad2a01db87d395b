import type pg from 'pg';
import { automationPool } from '../../src/automation/jobs.ts';
import { poolOf } from '../../src/platform/ledger/pools.ts';
import { queueRuns } from '../automation/queue-runs.ts';
import { addRule, threeSteps } from '../automation/rule.ts';
import { workerPath } from '../worker-path.ts';

/** Where a deal begins, unless another path has made one. */
export async function addPipeline(sql: pg.Pool, organizationId: string): Promise<void> {
  await sql.query(
    `with p as (
       insert into pipelines (organization_id, id, name, is_default)
       select $1, uuidv7(), 'Sales', true
        where not exists (select 1 from pipelines where organization_id = $1 and is_default)
       returning id)
     insert into pipeline_stages (organization_id, id, pipeline_id, name, kind, probability, position)
     select $1, uuidv7(), p.id, s.kind, s.kind, s.probability, s.position
       from p, (values ('open', 10, 1), ('won', 100, 2), ('lost', 0, 3)) as s(kind, probability, position)`,
    [organizationId],
  );
}

const rules = new Map<pg.Pool, string>();

/** The same rule all the time, beside no other. */
async function ruleOf(sql: pg.Pool, organizationId: string): Promise<string> {
  const known = rules.get(sql);
  if (known) return known;
  await addPipeline(sql, organizationId);
  const id = await addRule(sql, organizationId, { steps: threeSteps });
  rules.set(sql, id);
  return id;
}

/** What the runs of a round have made, each once. */
const madeStatement = `
  with r as (
    select id, contact_id from automation_runs where organization_id = $1 and id = any($2) and state = 'succeeded' and job_id is null)
  select (select count(*)::int from r) as runs,
         (select count(*)::int from automation_steps s join r on s.run_id = r.id where s.organization_id = $1 and s.state = 'done') as steps,
         (select count(*)::int from contact_tags t join r on t.contact_id = r.contact_id where t.organization_id = $1) as tags,
         (select count(*)::int from task_targets g join r on g.contact_id = r.contact_id where g.organization_id = $1) as tasks,
         (select count(*)::int from deal_contacts d join r on d.contact_id = r.contact_id where d.organization_id = $1) as deals,
         (select count(*)::int from crm_history h join r on h.actor = 'run:' || r.id where h.organization_id = $1) as histories,
         (select count(*)::int from events e join r on e.cause = 'run:' || r.id where e.organization_id = $1) as events`;

export const automationRuns = workerPath({
  name: 'automation-runs',
  what: 'one worker takes runs of three database steps: a tag, a task, a deal',
  unit: 'runs/s',
  queue: 'automations',
  pool: ({ tenant: { organizationId } }) => poolOf(organizationId, automationPool(organizationId)),
  async prepare({ sql, tenant: { organizationId } }, _stage, count) {
    const ruleId = await ruleOf(sql, organizationId);
    return queueRuns(sql, { organizationId, ruleId, count });
  },
  async verify({ sql, name, tenant: { organizationId } }, _stage, runs) {
    await sql.query(
      'vacuum analyze automation_runs, automation_steps, contacts, contact_tags, crm_tasks, task_targets, deals, deal_contacts',
    );
    await sql.query('vacuum analyze crm_history, events');
    const { rows } = await sql.query(madeStatement, [organizationId, runs]);
    const count = runs.length;
    const expected = {
      runs: count,
      steps: 3 * count,
      tags: count,
      tasks: count,
      deals: count,
      histories: 2 * count,
      events: 3 * count,
    };
    if (JSON.stringify(rows[0]) !== JSON.stringify(expected))
      throw new Error(`automation-runs, ${name}: ${JSON.stringify(rows[0])} instead of ${JSON.stringify(expected)}`);
  },
});
