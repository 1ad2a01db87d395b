import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { transactions } from './transactions.ts';

const read = `select r.id, r.rule_id, r.version, r.contact_id, k.name, d.definition
  from jobs j
  join automation_runs r on r.organization_id = $2 and r.id = j.subject_id
  join contacts k on k.organization_id = $2 and k.id = r.contact_id
  join automation_rule_versions d on d.organization_id = $2 and d.rule_id = r.rule_id and d.number = r.version
  where j.organization_id = $2 and j.id = $1 and j.state = 'queued'`;
const firstStage = `select s.id, s.pipeline_id, o.home_currency as home
  from pipelines p join organizations o on o.id = p.organization_id
  join pipeline_stages s on s.organization_id = $1 and s.pipeline_id = p.id and s.kind = 'open'
  where p.organization_id = $1 and p.is_default order by s.position limit 1`;
const findTag = 'select id from tags where organization_id = $1 and fold(name) = fold($2) for key share';
const insertTag = `insert into tags (organization_id, id, name) values ($1, uuidv7(), $2)
  on conflict (organization_id, fold(name)) do update set name = tags.name returning id`;
const assign = `with t as (insert into contact_tags (organization_id, contact_id, tag_id) values ($1, $2, $3) on conflict do nothing)
  update contacts set updated_at = now() where organization_id = $1 and id = $2`;
const task = `with t as (
    insert into crm_tasks (organization_id, id, title, type, created_by) values ($1, $2, $3, $4, $5)),
  g as (
    insert into task_targets (organization_id, id, task_id, contact_id, created_by) values ($1, uuidv7(), $2, $6, $5))
  insert into crm_history (organization_id, object_kind, object_id, revision, event_id, actor, changes) values ($1, 'task', $2, 1, $7, $5, $8)`;
const deal = `with d as (
    insert into deals (organization_id, id, title, status, amount_minor, currency_code, home_currency_at_write, amount_in_home_currency, pipeline_id,
      stage_id, stage_entered_at) values ($1, $2, $3, 'open', $4::bigint, $5, $6, $4::bigint / 100.0, $7, $8, now())),
  c as (
    insert into deal_contacts (organization_id, deal_id, contact_id, is_primary) values ($1, $2, $9, true))
  insert into crm_history (organization_id, object_kind, object_id, revision, event_id, actor, changes) values ($1, 'deal', $2, 1, $10, $11, $12)`;
const announce = `with e as (
    insert into events (id, organization_id, type, subject_type, subject_id, data, cause, chain)
    select x.id, $1, x.type, x.subject_type, x.subject, x.data, $2, $3::uuid[]
      from unnest($4::uuid[], $5::text[], $6::text[], $7::uuid[], $8::jsonb[]) as x(id, type, subject_type, subject, data) returning id, type)
  insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state)
  select uuidv7(), $1, e.id, w.id, 'pending' from e join webhook_endpoints w on w.organization_id = $1 and e.type = any(w.event_types)`;
const steps = `insert into automation_steps (organization_id, run_id, number, step_id, type, state, input, output, ended_at)
  select $1, $2, x.number, x.step_id, x.type, 'done', x.input, x.output, now()
    from jsonb_to_recordset($3) as x(number int, step_id text, type text, input jsonb, output jsonb)`;
const end = `update automation_runs set state = 'succeeded', position = jsonb_build_object('at', jsonb_build_array($3::int)), steps_run = $3,
  job_id = null, started_at = now(), ended_at = now(), updated_at = now() where organization_id = $1 and id = $2 and state = 'queued'`;
const done = 'delete from jobs where organization_id = $2 and id = $1';

type Step = {
  id: string;
  type: string;
  tag: string;
  title: string;
  task_type: string;
  amount_minor: string;
  currency_code: string;
};

/** A run of three steps, in one transaction with its rows: tag, task and deal, each with what belongs to it, and three events. */
export function automationWork(pool: pg.Pool, organization: string) {
  const inTransaction = transactions(pool);

  return async (job: string) => {
    const { rows } = await pool.query({ name: 'automation', text: read, values: [job, organization] });
    const [run] = rows;
    if (!run) return;
    const actor = `run:${run.id}`;
    const named = (text: string) => text.replace('{{ contact.name }}', run.name);
    const [tagStep, taskStep, dealStep] = run.definition.steps as [Step, Step, Step];
    await inTransaction(async (client) => {
      const ask = async (name: string, text: string, ...values: unknown[]) =>
        (await client.query({ name, text, values: [organization, ...values] })).rows;
      const [known] = await ask('tag', findTag, tagStep.tag);
      const { id: tagId } = known ?? (await ask('new-tag', insertTag, tagStep.tag))[0];
      await ask('assign', assign, run.contact_id, tagId);
      const [taskId, dealId, events] = [uuidv7(), uuidv7(), [uuidv7(), uuidv7(), uuidv7()]];
      const [taskTitle, dealTitle] = [named(taskStep.title), named(dealStep.title)];
      const taskChanges = {
        title: { from: null, to: taskTitle },
        type: { from: null, to: taskStep.task_type },
        targets: { from: [], to: [run.contact_id] },
      };
      await ask('task', task, taskId, taskTitle, taskStep.task_type, actor, run.contact_id, events[1], taskChanges);
      const [stage] = await ask('stage', firstStage);
      const { amount_minor: amount, currency_code: currency } = dealStep;
      const dealChanges = {
        title: { from: null, to: dealTitle },
        amount_minor: { from: null, to: amount },
        contacts: { from: [], to: [run.contact_id] },
      };
      const place = [stage.home, stage.pipeline_id, stage.id];
      await ask(
        ...(['deal', deal, dealId, dealTitle, amount, currency] as const),
        ...[...place, run.contact_id, events[2], actor, dealChanges],
      );
      const common = { organization_id: organization };
      const data = [
        { ...common, contact_id: run.contact_id, name: run.name, changed: ['tags'] },
        { ...common, task_id: taskId, status: 'open', assignee_id: null, changed: Object.keys(taskChanges) },
        {
          ...common,
          deal_id: dealId,
          status: 'open',
          pipeline_id: stage.pipeline_id,
          stage_id: stage.id,
          changed: Object.keys(dealChanges),
        },
      ];
      const types = ['contact.updated', 'task.created', 'deal.created'];
      const told = [events, types, ['contact', 'task', 'deal'], [run.contact_id, taskId, dealId], data];
      await ask('announce', announce, actor, [run.rule_id], ...told);
      const taken = [
        {
          ...tagStep,
          input: { tag: tagStep.tag },
          output: { contact_id: run.contact_id, tag_id: tagId, tag: tagStep.tag, is_new: true },
        },
        { ...taskStep, input: { title: taskTitle, task_type: taskStep.task_type }, output: { task_id: taskId, revision: 1 } },
        {
          ...dealStep,
          input: { title: dealTitle, amount_minor: amount, currency_code: currency },
          output: { deal_id: dealId, status: 'open' },
        },
      ].map(({ id, type, input, output }, index) => ({ number: index + 1, step_id: id, type, input, output }));
      await ask('steps', steps, run.id, JSON.stringify(taken));
      await ask('end', end, run.id, taken.length);
      await client.query({ name: 'done', text: done, values: [job, organization] });
    });
  };
}
