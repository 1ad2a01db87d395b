import type { Definition, Step } from '../../src/automation/definition/definition.ts';
import { automationPool, runLock } from '../../src/automation/jobs.ts';
import { beginRuns, type NewRun } from '../../src/automation/runs/begin.ts';
import { runJobOfRule } from '../../src/automation/runs/run-job.ts';
import { knowJobs } from '../../src/jobs.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import type { JobError } from '../../src/platform/ledger/jobs.entity.ts';
import { poolOf, setPool } from '../../src/platform/ledger/pools.ts';
import { readRun } from '../../src/platform/ledger/run.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import type { TenantTx } from '../../src/platform/ledger/tx.ts';
import { runRuleWith } from '../../workers/automation/run.ts';
import { createContext } from '../../workers/context.ts';
import type { Ended } from '../../workers/run-job.ts';
import { channel } from './factories/channel.ts';
import { onePlace, openHouse, type ToyHandler } from './house.ts';
import { toyActions } from './rule-actions.ts';

export type SeenRun = {
  state: string;
  position: { at: unknown[]; waiting?: object; calling?: { claim?: string; is_repeatable: boolean }; event_id?: string };
  vars: Record<string, unknown>;
  steps_run: number;
  waiting_for: string | null;
  wakes_at: string | null;
  failed_step: string | null;
  error: JobError | null;
  reason: string;
  retries: number;
  job_id: string | null;
  version: number;
};
export type SeenStep = {
  number: number;
  step_id: string;
  type: string;
  state: string;
  attempt: number;
  input: unknown;
  output: unknown;
  error: JobError | null;
  is_ended: boolean;
};
type Row = { id: string; run: number; state: string; pool: string; run_in: number; attempts: number };

const maxRounds = 40;

/** A house of rules whose runs are worked when the test says so, with actions of its own. */
export async function openRuleHouse() {
  knowJobs();
  const house = await openHouse();
  const { organizationId: organization, sql } = house;
  const toys = toyActions();
  const handler = runRuleWith(toys.actions) as unknown as ToyHandler;
  const transact = transactFor(house.ledger.transact, organization);
  await setPool(house.em(), poolOf(organization, automationPool(organization)), 20, null);
  await sql('create table effects (n serial, organization_id uuid, run_id uuid, name text, cause text, chain uuid[])');

  async function rule(steps: Step[], more: Partial<Definition> = {}): Promise<string> {
    const id = uuidv7();
    const definition: Definition = {
      trigger: { type: 'manual' },
      conditions: null,
      steps,
      concurrency: 'each',
      exit_when: null,
      limits: {},
      ...more,
    };
    await sql(
      `insert into automation_rules (organization_id, id, name, status, draft, version) values ($1, $2, 'Test', 'live', $3, 1)`,
      [organization, id, JSON.stringify(definition)],
    );
    await version(id, 1, definition);
    return id;
  }

  const version = (ruleId: string, number: number, definition: object) =>
    sql('insert into automation_rule_versions (organization_id, rule_id, number, definition) values ($1, $2, $3, $4)', [
      ...[organization, ruleId, number, JSON.stringify(definition)],
    ]);

  async function contact(customFields: object = {}): Promise<string> {
    const id = uuidv7();
    await sql(`insert into contacts (organization_id, id, name, custom_fields) values ($1, $2, 'Ada', $3)`, [
      ...[organization, id, JSON.stringify(customFields)],
    ]);
    return id;
  }

  async function begin(ruleId: string, given: Partial<NewRun> = {}): Promise<string> {
    const subjectId = given.subjectId ?? (await contact());
    const isContact = (given.subjectType ?? 'contact') === 'contact';
    const run: NewRun = {
      ...{ ruleId, version: 1, mode: 'live', trigger: 'manual', subjectType: 'contact', subjectId },
      ...{ contactId: isContact ? subjectId : null, isExclusive: false, chain: [ruleId], ...given },
    };
    const [id] = await house.ledger.transact({}, async (tx) => beginRuns(tx.of(organization), [run]));
    return id!;
  }

  const jobs = (runId: string) =>
    sql<Row>(
      `select id, run, state, pool, attempts, (extract(epoch from run_at - clock_timestamp()) * 1000)::float8 as run_in
         from jobs where subject_id = $1 and name = 'automation.run' order by seq`,
      [runId],
    );

  /** One run of its job, if it is due; `isLate`: whenever it is. */
  async function work(runId: string, { isLate = true, isFaulty = false } = {}): Promise<Ended | undefined> {
    const [before] = await jobs(runId);
    if (!before || before.state === 'failed' || (!isLate && before.run_in > 0)) return undefined;
    await sql('update jobs set run_at = clock_timestamp() where id = $1', [before.id]);
    if (before.state === 'waiting') await house.ledger.fill(house.pool(before.pool));
    const [row] = await jobs(runId);
    const ended = await house.run(handler, { id: row!.id, run: row!.run });
    const fault = house.lines.find(({ msg }) => msg === 'a fault of our own');
    if (fault && !isFaulty) throw new Error(JSON.stringify(fault));
    return ended;
  }

  /** As after so many deaths of the workers at it. */
  async function giveUp(runId: string): Promise<void> {
    const error: JobError = { code: 'crashed', message: 'The worker died 5 times over this job' };
    const [job] = await jobs(runId);
    const row = (await readRun(house.database, { organization_id: organization, id: job!.id }))!;
    await createContext(house.deps, runJobOfRule as never, row, undefined, onePlace).fail(error);
  }

  /** Until it has ended, or waits. */
  async function toRest(runId: string): Promise<SeenRun> {
    for (let round = 0; round < maxRounds; round += 1) if (!(await work(runId, { isLate: false }))) return seen(runId);
    throw new Error('The run has no end');
  }

  /** What it waits for in time has passed. */
  async function passTime(runId: string): Promise<SeenRun> {
    await sql(
      `update automation_runs
          set position = jsonb_set(position, '{waiting,until}', to_jsonb(to_char((clock_timestamp() - interval '1 s') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
        where id = $1 and position ? 'waiting'`,
      [runId],
    );
    await work(runId);
    return toRest(runId);
  }

  /** Other work between the look of a step of that name and its transaction. */
  async function meanwhile(step: string, work: () => Promise<unknown>, rest: () => Promise<unknown>, type = 'do') {
    const act = toys.actions.get(type)! as { prepare: (context: never, given: { name: string }) => Promise<unknown> };
    const { prepare } = act;
    let isDone = false;
    act.prepare = async (context, given) => {
      const prepared = await prepare(context, given);
      if (given.name !== step || isDone) return prepared;
      isDone = true;
      await work();
      return prepared;
    };
    await rest();
    act.prepare = prepare;
    if (!isDone) throw new Error(`No step ${step} was looked at`);
  }

  const seen = async (runId: string): Promise<SeenRun> =>
    (
      await sql<SeenRun>(
        `select state, position, vars, steps_run, waiting_for, wakes_at, failed_step, error, reason, retries, job_id, version
           from automation_runs where id = $1`,
        [runId],
      )
    )[0]!;

  return {
    ...{
      house,
      sql,
      organization,
      toys,
      handler,
      transact,
      rule,
      version,
      contact,
      begin,
      jobs,
      work,
      giveUp,
      toRest,
      passTime,
      meanwhile,
      seen,
    },
    workOnce: (runId: string) => work(runId, { isFaulty: true }),
    tells: async (id: string) =>
      (await sql<{ type: string }>('select type from events where subject_id = $1 order by id', [id])).map(({ type }) => type),
    steps: (runId: string) =>
      sql<SeenStep>(
        `select number, step_id, type, state, attempt, input, output, error, ended_at is not null as is_ended
           from automation_steps where run_id = $1 order by number`,
        [runId],
      ),
    effects: async (runId: string) =>
      (await sql<{ name: string }>('select name from effects where run_id = $1 order by n', [runId])).map(({ name }) => name),
    channel: async () => (await channel(house.em(), organization)).id,
    /** In a transaction that holds the run's lock. */
    locked: <Result>(runId: string, work: (tx: TenantTx) => Promise<Result>): Promise<Result> =>
      transact({ locks: [runLock(runId)] }, (tx) => work(tx)),
    close: () => house.close(),
  };
}

export type RuleHouse = Awaited<ReturnType<typeof openRuleHouse>>;

/** A step that leaves its name. */
export const doing = (id: string, more: object = {}): Step => ({ id, type: 'do', name: id, ...more });
