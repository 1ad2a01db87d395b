import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Step } from '../../../src/automation/definition/definition.ts';
import { beginRuns } from '../../../src/automation/runs/begin.ts';
import { contactLock } from '../../../src/contacts/events.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { runRule } from '../../../workers/automation/run.ts';
import { type Cut, cutConnections } from '../../support/cut-connections.ts';
import { openRuleHouse, type RuleHouse } from '../../support/evaluations.ts';
import { contact } from '../../support/factories/contact.ts';
import type { ToyHandler } from '../../support/house.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ruleRows, runRows, stepRows } from '../../support/work/automation.ts';
import { contactRows } from '../../support/work/contacts.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { isLockAwaited } from '../../support/work/locks.ts';
import { rightNow } from '../../support/work/rows.ts';

/* Steps of which all is known when they are written: their transaction is one round trip. */
let at: RuleHouse;
let cuts: ReturnType<typeof cutConnections>;
beforeAll(async () => {
  at = await openRuleHouse();
  cuts = cutConnections(at.house.database.pool);
  Object.assign(at.house.deps, { isStopping: cuts.isDead });
  await begun([tag('vip')]);
});
afterAll(() => at.close());

const tag = (name: string, id = 'tag'): Step => ({ id, type: 'add_tag', tag: name });
const task: Step = { id: 'task', type: 'create_task', title: 'Call {{ contact.name }}' };
const deal: Step = { id: 'deal', type: 'create_deal', title: 'Deal', amount_minor: '10000', currency_code: 'USD' };
const manual = { trigger: { type: 'manual' } as const };

/** A run of these steps that is taken when the test says so, about a contact of its own. */
async function queued(steps: Step[]) {
  const rule = await at.rule({ steps, ...manual });
  const { id: who } = await contact(at.house.em(), at.organization, { name: 'Ada' });
  const about = { subjectType: 'contact', subjectId: who, contactId: who } as const;
  const more = { version: 1, mode: 'live', trigger: 'manual', isExclusive: false } as const;
  const [made] = await at.transact({}, ({ own }) => beginRuns(own, [{ ruleId: rule, ...about, ...more, chain: [rule] }]));
  const id = made!;
  const work = async () => {
    const [job] = await jobRows.all(at, { subject_id: id, name: 'automation.run' }, ['id', 'run']);
    if (job) await jobRows.change(at, job.id, { state: 'queued', slot_at: rightNow(), run_at: rightNow() });
    return job && at.house.run(runRule as unknown as ToyHandler, job);
  };
  return { id, rule, who, work };
}

async function begun(steps: Step[]) {
  const run = await queued(steps);
  await run.work();
  return run;
}

const stateOf = async (id: string) => (await runRows.all(at, id, ['state', 'failed_step']))[0];
const outputs = async (id: string) =>
  (await stepRows.all(at, { run_id: id }, ['output'], { number: 'asc' })).map(({ output }) => output);
/** How often each was done. */
const madeFor = async (who: string, run: string) =>
  (
    await at.sql(
      `select (select count(*)::int from contact_tags where contact_id = $1) as tags,
              (select count(*)::int from task_targets where contact_id = $1) as tasks,
              (select count(*)::int from deal_contacts where contact_id = $1) as deals,
              (select count(*)::int from crm_history where actor = 'run:' || $2) as history,
              (select array_agg(type order by seq) from events where cause = 'run:' || $2) as events`,
      [who, run],
    )
  )[0];
const all = { tags: 1, tasks: 1, deals: 1, history: 2, events: ['contact.updated', 'task.created', 'deal.created'] };

test('a tag, a task and a deal, cut off after each statement: each is there once, and told once', async () => {
  async function cutAt(cut: Cut): Promise<boolean> {
    const { id, who, work } = await queued([tag('vip'), task, deal]);
    const { isCut, error } = await cuts.during(cut, work);
    if (error && !isCut) throw error;
    await work();
    expect(await stateOf(id)).toMatchObject({ state: 'succeeded' });
    expect(await madeFor(who, id)).toEqual(all);
    return isCut;
  }
  for (const dies of [true, false]) {
    let trip = 1;
    while (await cutAt({ dies, at: trip })) trip += 1;
    expect(trip).toBeGreaterThan(3);
  }
  expect(await checkJobs(at.house.database)).toEqual([]);
});

/** `change` is made after the look, while the write waits for the contact's lock. */
async function meanwhile({ who, work }: { who: string; work(): Promise<unknown> }, change: () => Promise<unknown>) {
  const client = await at.house.database.pool.connect();
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [contactLock(who)]);
  const working = work();
  await waitFor('the write', () => isLockAwaited(at, { event: 'advisory' }));
  await change();
  await client.query('commit');
  client.release();
  await working;
}

test('somebody who begins to listen after the look hears of it', async () => {
  const run = await queued([tag('vip'), task]);
  await meanwhile(run, () => at.rule({ trigger: { type: 'event', event: 'task.created' } }));
  expect(await stateOf(run.id)).toMatchObject({ state: 'succeeded' });
  const jobs = await at.sql(
    `select 1 from jobs j join events e on e.id = j.subject_id
      where j.name = 'automation.evaluate' and e.type = 'task.created' and e.cause = 'run:' || $1`,
    [run.id],
  );
  expect(jobs).toHaveLength(1);
  await ruleRows.change(at, {}, { status: 'paused' });
});

test.each([
  ['the contact was given the tag', (who: string) => assigned(who), false],
  ['the contact has another name', (who: string) => contactRows.change(at, who, { name: 'Eve' }), true],
])('%s after the look: the step looks again', async (_, change, isNew) => {
  const run = await queued([tag('vip')]);
  await meanwhile(run, () => change(run.who));
  expect(await stateOf(run.id)).toMatchObject({ state: 'succeeded' });
  expect(await outputs(run.id)).toMatchObject([{ contact_id: run.who, tag: 'vip', is_new: isNew }]);
  const [event] = await at.sql<{ name: string }>(`select data->>'name' as name from events where cause = 'run:' || $1`, [run.id]);
  expect(event?.name).toBe(isNew ? 'Eve' : undefined);
});

const assigned = (who: string) =>
  at.sql(
    `insert into contact_tags (organization_id, contact_id, tag_id)
     select organization_id, $2, id from tags where organization_id = $1 and name = 'vip'`,
    [at.organization, who],
  );

test('a tag twice in one transaction is assigned once', async () => {
  const { id, who } = await begun([tag('vip', 'one'), tag('VIP', 'two'), task]);
  expect(await stateOf(id)).toMatchObject({ state: 'succeeded' });
  expect(await outputs(id)).toMatchObject([{ is_new: true }, { is_new: false }, {}]);
  expect(await madeFor(who, id)).toMatchObject({ tags: 1, tasks: 1 });
});

test('a contact that has as many tags as it may have: the step fails, and those before it stay done', async () => {
  const run = await queued([task, tag('vip'), deal]);
  await at.sql(
    `with made as (
       insert into tags (organization_id, id, name) select $1, uuidv7(), 'Tag ' || n from generate_series(1, 100) n returning id)
     insert into contact_tags (organization_id, contact_id, tag_id) select $1, $2, id from made`,
    [at.organization, run.who],
  );
  await run.work();
  expect(await stateOf(run.id)).toEqual({ state: 'failed', failed_step: 'tag' });
  expect(await madeFor(run.who, run.id)).toMatchObject({ tags: 100, tasks: 1, deals: 0 });
});

test('a step that names what is not there fails, and those before it stay done', async () => {
  const nowhere = [{ object_kind: 'deal', object_id: uuidv7() }];
  const { id, who } = await begun([tag('vip'), { ...task, targets: nowhere }, deal]);
  expect(await stateOf(id)).toEqual({ state: 'failed', failed_step: 'task' });
  expect(await madeFor(who, id)).toMatchObject({ tags: 1, tasks: 0, deals: 0 });
  const first = await begun([{ ...task, targets: nowhere }, tag('vip')]);
  expect(await stateOf(first.id)).toEqual({ state: 'failed', failed_step: 'task' });
  expect(await madeFor(first.who, first.id)).toMatchObject({ tags: 0, tasks: 0 });
});
