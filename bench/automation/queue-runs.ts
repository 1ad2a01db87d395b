import type pg from 'pg';
import { automationPool } from '../../src/automation/jobs.ts';
import { uuidv7 } from '../../src/platform/ids.ts';

type Given = { organizationId: string; ruleId: string; count: number };

/** `count` contacts whom nothing has happened to. Their ids. */
export async function addContacts(sql: pg.Pool, organizationId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuidv7());
  await sql.query(
    `insert into contacts (organization_id, id, name)
     select $1, x.id, 'Person ' || x.n from unnest($2::uuid[]) with ordinality as x(id, n)`,
    [organizationId, ids],
  );
  return ids;
}

const columns = 'organization_id, id, rule_id, version, trigger, subject_type, subject_id, contact_id, chain, job_id';

/** Runs as an evaluation leaves them, each about a contact of its own, with jobs that wait for their pool. Their ids. */
export async function queueRuns(sql: pg.Pool, { organizationId, ruleId, count }: Given): Promise<string[]> {
  const contacts = await addContacts(sql, organizationId, count);
  const [ids, jobs] = [contacts.map(() => uuidv7()), contacts.map(() => uuidv7())];
  await sql.query(
    `insert into automation_runs (${columns})
     select $1, x.id, $2, 1, 'manual', 'contact', x.contact_id, x.contact_id, array[$2::uuid], x.job_id
       from unnest($3::uuid[], $4::uuid[], $5::uuid[]) as x(id, contact_id, job_id)`,
    [organizationId, ruleId, ids, contacts, jobs],
  );
  await sql.query(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, pool, state, check_at)
     select x.job_id, $1, 'automation.run', 'automations', jsonb_build_object('run_id', x.id), 'automation_run', x.id, $2, 'waiting',
            clock_timestamp() + interval '5 s'
       from unnest($3::uuid[], $4::uuid[]) as x(id, job_id)`,
    [organizationId, automationPool(organizationId), ids, jobs],
  );
  await sql.query('analyze contacts, automation_runs, jobs');
  return ids;
}

/** Runs that wait in their first step until a time that all of them share, as the step leaves them: their jobs are parked. */
export async function addWaitingRuns(sql: pg.Pool, { organizationId, ruleId, count }: Given, until: Date): Promise<void> {
  const batch = 10_000;
  for (let left = count; left > 0; left -= batch) {
    const contacts = await addContacts(sql, organizationId, Math.min(batch, left));
    const [ids, jobs] = [contacts.map(() => uuidv7()), contacts.map(() => uuidv7())];
    await sql.query(
      `insert into automation_runs (${columns}, state, position, waiting_for, wakes_at, started_at)
       select $1, x.id, $2, 1, 'manual', 'contact', x.contact_id, x.contact_id, array[$2::uuid], x.job_id, 'running',
              jsonb_build_object('at', jsonb_build_array(0), 'waiting', jsonb_build_object('until', $6::text)),
              'wait', $6::timestamptz, clock_timestamp()
         from unnest($3::uuid[], $4::uuid[], $5::uuid[]) as x(id, contact_id, job_id)`,
      [organizationId, ruleId, ids, contacts, jobs, until.toISOString()],
    );
    await sql.query(
      `insert into automation_steps (organization_id, run_id, number, step_id, type, state, input)
       select $1, id, 1, 'wait', 'wait', 'waiting', jsonb_build_object('until', $3::text) from unnest($2::uuid[]) as x(id)`,
      [organizationId, ids, until.toISOString()],
    );
    await sql.query(
      `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, pool, state, run, run_at, check_at)
       select x.job_id, $1, 'automation.run', 'automations', jsonb_build_object('run_id', x.id), 'automation_run', x.id, $2, 'queued', 2,
              $5::timestamptz, $5::timestamptz - interval '20 s'
         from unnest($3::uuid[], $4::uuid[]) as x(id, job_id)`,
      [organizationId, automationPool(organizationId), ids, jobs, until.toISOString()],
    );
  }
  await sql.query('vacuum analyze contacts, automation_runs, automation_steps, jobs');
}

/** All of them together, at another time. */
export async function moveWaits(sql: pg.Pool, organizationId: string, until: Date): Promise<void> {
  await sql.query(
    `update automation_runs
        set wakes_at = $2::timestamptz, position = jsonb_set(position, '{waiting,until}', to_jsonb($3::text))
      where organization_id = $1 and waiting_for = 'wait'`,
    [organizationId, until, until.toISOString()],
  );
  await sql.query(
    `update jobs set run_at = $2::timestamptz, check_at = $2::timestamptz - interval '20 s'
      where organization_id = $1 and name = 'automation.run' and state = 'queued'`,
    [organizationId, until],
  );
  await sql.query('vacuum analyze automation_runs, jobs');
}
