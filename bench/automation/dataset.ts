import type pg from 'pg';
import { uuidv7 } from '../../src/platform/ids.ts';
import { withoutIndexes } from '../long/fill/indexes.ts';
import { insertOwner, newOwner, type ScaleOwner } from '../scale-owner.ts';
import { threeSteps } from './rule.ts';

/** `ruleIds`: each has as many of the runs. */
export type Owner = ScaleOwner & { rows: number; ruleIds: string[] };
export type Dataset = Record<'large' | 'small', Owner>;

const smallRows = 10_000;
const rules = 10;
/** A contact has so many runs in either organization. */
const runsOfContact = 20;

const ownerOf = (rows: number): Owner => ({ ...newOwner(), rows, ruleIds: Array.from({ length: rules }, () => uuidv7()) });

/** An organization with so many runs, and one with ten thousand. */
export async function seedRuns(pool: pg.Pool, rows: number): Promise<Dataset> {
  const [small, large] = [ownerOf(smallRows), ownerOf(rows)];
  const sql = await pool.connect();
  try {
    for (const owner of [small, large]) await insertOwner(sql, owner);
    const restore = await withoutIndexes(pool, ['automation_runs', 'automation_steps'], 2);
    for (const owner of [small, large]) await fill(sql, owner);
    await restore();
    await sql.query('analyze');
  } finally {
    sql.release();
  }
  return { large, small };
}

/** By the number of a run: 5 % failed, 5 % cancelled. All have ended: none has a job. */
const stateOf = `case when n % 20 = 0 then 'failed' when n % 20 = 1 then 'cancelled' else 'succeeded' end`;

async function fill(sql: pg.ClientBase, { organizationId, rows, ruleIds }: Owner) {
  const definition = JSON.stringify({ trigger: { type: 'manual' }, conditions: null, steps: threeSteps, concurrency: 'each' });
  await sql.query(
    `insert into automation_rules (organization_id, id, name, status, draft, version)
     select $1, id, 'Bench', 'live', $3, 1 from unnest($2::uuid[]) as x(id)`,
    [organizationId, ruleIds, definition],
  );
  await sql.query(
    `insert into automation_rule_versions (organization_id, rule_id, number, definition)
     select $1, id, 1, $3 from unnest($2::uuid[]) as x(id)`,
    [organizationId, ruleIds, definition],
  );
  await sql.query(
    `insert into contacts (organization_id, id, name) select $1, uuidv7(), 'Person ' || n from generate_series(1, $2::int) n`,
    [organizationId, Math.ceil(rows / runsOfContact)],
  );
  await sql.query(
    `insert into automation_runs (organization_id, id, rule_id, version, state, trigger, subject_type, subject_id, contact_id, chain,
       position, steps_run, failed_step, error, reason, created_at, started_at, ended_at)
     select $1, uuidv7(x.at - clock_timestamp()), x.rule_id, 1, x.state, 'manual', 'contact', x.contact_id, x.contact_id, array[x.rule_id],
            '{"at": [3]}', 3, case when x.state = 'failed' then 'deal' end,
            case when x.state = 'failed' then '{"code": "not_found", "message": "There is no such stage"}'::jsonb end,
            case when x.state = 'cancelled' then 'exit_when' else '' end, x.at, x.at, x.at
       from (select n, ($2::uuid[])[1 + (n::bigint * 7919) % $3::int] as rule_id, ${stateOf} as state, k.ids[1 + n % cardinality(k.ids)] as contact_id,
                    clock_timestamp() - interval '20 days' * (1 - n / $4::float8) - interval '1 min' as at
               from generate_series(1, $4::int) n,
                    (select array_agg(id) as ids from contacts where organization_id = $1) k) x`,
    [organizationId, ruleIds, ruleIds.length, rows],
  );
  await sql.query(
    `insert into automation_steps (organization_id, run_id, number, step_id, type, state, input, output, started_at, ended_at)
     select $1, r.id, s.number, s.step_id, s.type, 'done', '{"title": "Call Person"}', '{"revision": 1}', r.started_at, r.ended_at
       from automation_runs r, (values (1, 'tag', 'add_tag'), (2, 'task', 'create_task'), (3, 'deal', 'create_deal')) as s(number, step_id, type)
      where r.organization_id = $1`,
    [organizationId],
  );
}
