import type { Conditions } from '../../src/automation/conditions/conditions.ts';
import type { Definition } from '../../src/automation/definition/definition.ts';
import { automationPool } from '../../src/automation/jobs.ts';
import { poolWidth } from '../../src/automation/limits.ts';
import { beginRuns } from '../../src/automation/runs/begin.ts';
import type { Position } from '../../src/automation/runs/position.ts';
import type { RuleMode, RuleStatus, RunState } from '../../src/automation/states.ts';
import { contactUpdated } from '../../src/platform/events/catalogue.ts';
import type { Cause } from '../../src/platform/events/cause.ts';
import type { EventContract } from '../../src/platform/events/event.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { subjectLock } from '../../src/platform/ledger/locks.ts';
import { poolOf, setPool } from '../../src/platform/ledger/pools.ts';
import { type TenantTransact, transactFor } from '../../src/platform/ledger/tenant.ts';
import { evaluateEvent } from '../../workers/automation/evaluate.ts';
import type { Ended } from '../../workers/run-job.ts';
import { openHouse, type ToyHandler } from './house.ts';

type RuleGiven = Partial<Definition> & { status?: RuleStatus; mode?: RuleMode; eventType?: string | null; organization?: string };
type RunGiven = { rule: string; subject: string; state?: RunState; minutesAgo?: number; isExclusive?: boolean; eventId?: string };

type WaitsGiven = { event?: string; conditions?: Conditions; vars?: object; contactId: string };
type WaitingGiven = { rule: string; subject: string; event: string; vars?: object };
type Job = { id: string; run: number; state: string; lane: string };
export type RunRow = {
  id: string;
  rule_id: string;
  version: number;
  mode: RuleMode;
  state: RunState;
  trigger: string;
  event_id: string | null;
  subject_type: string;
  subject_id: string;
  contact_id: string | null;
  is_exclusive: boolean;
  chain: string[];
  reason: string;
  job_id: string | null;
};

const eventTypeOf = ({ trigger }: Definition): string | null => {
  if (trigger.type === 'event') return trigger.event;
  return trigger.type === 'keyword' ? 'message.new' : trigger.type === 'api' ? 'automation.event' : null;
};

/** A house with published rules, whose evaluations run when the test says so. */
export async function openRuleHouse() {
  const house = await openHouse();
  const { sql, organizationId: organization } = house;
  /** As the first publish leaves it. */
  const makePool = () => setPool(house.em(), poolOf(organization, automationPool(organization)), poolWidth, null);
  await makePool();
  const transact: TenantTransact = transactFor(house.ledger.transact, organization);

  /** As a publish leaves it. */
  async function rule(given: RuleGiven = {}): Promise<string> {
    const id = uuidv7();
    const { status = 'live', mode = 'live', eventType, organization: of = organization, ...parts } = given;
    const definition: Definition = {
      trigger: { type: 'event', event: 'contact.updated' },
      conditions: null,
      steps: [{ id: 'end', type: 'stop' }],
      concurrency: 'each',
      exit_when: null,
      limits: {},
      ...parts,
    };
    await sql(
      `insert into automation_rules (organization_id, id, name, status, mode, draft, version, event_type)
       values ($1, $2, 'Test', $3, $4, $5, 1, $6)`,
      [of, id, status, mode, JSON.stringify(definition), eventType === undefined ? eventTypeOf(definition) : eventType],
    );
    await sql('insert into automation_rule_versions (organization_id, rule_id, number, definition) values ($1, $2, 1, $3)', [
      of,
      id,
      JSON.stringify(definition),
    ]);
    return id;
  }

  /** A run's row alone. */
  async function run({ rule: ruleId, subject, state = 'succeeded', minutesAgo = 0, isExclusive = false, eventId }: RunGiven) {
    const id = uuidv7();
    await sql(
      `insert into automation_runs (organization_id, id, rule_id, version, state, trigger, event_id, subject_type, subject_id, is_exclusive, created_at)
       values ($1, $2, $3, 1, $4, 'event', $5, 'contact', $6, $7, clock_timestamp() - $8::float8 * interval '1 min')`,
      [organization, id, ruleId, state, eventId ?? null, subject, isExclusive, minutesAgo],
    );
    return id;
  }

  /** The event's id. */
  const emit = <Data extends Record<string, unknown>>(event: EventContract<Data>, data: Data, cause?: Cause): Promise<string> =>
    transact({ cause, locks: [subjectLock(event.subject.type, String(data[event.subject.id]))] }, async ({ own }) =>
      own.emit(event, data),
    );

  const evaluationOf = async (eventId: string): Promise<Job | undefined> =>
    (
      await sql<Job>(`select id, run, state, lane from jobs where name = 'automation.evaluate' and subject_id = $1`, [eventId])
    )[0];

  /** The evaluation of an event that a rule or a run listens to. */
  async function evaluate(eventId: string): Promise<Ended> {
    const job = await evaluationOf(eventId);
    if (!job) throw new Error('The event has no evaluation');
    return house.run(evaluateEvent as unknown as ToyHandler, job);
  }

  const runs = (ruleId: string): Promise<RunRow[]> =>
    sql<RunRow>(
      `select id, rule_id, version, mode, state, trigger, event_id, subject_type, subject_id, contact_id, is_exclusive, chain, reason, job_id
         from automation_runs
        where rule_id = $1
        order by created_at, id`,
      [ruleId],
    );
  const runsBut = (ids: string[]): Promise<Pick<RunRow, 'id' | 'chain'>[]> =>
    sql('select id, chain from automation_runs where not id = any($1::uuid[]) order by created_at, id', [ids]);
  const held = (ruleId: string) =>
    sql<{ reason: string; count: number }>('select reason, count from automation_held where rule_id = $1 order by reason', [
      ruleId,
    ]);
  /** By `automation.rule.held`, in order. */
  const told = async (ruleId: string) =>
    (
      await sql<{ data: { reason: string; count: number } }>(
        `select data from events where subject_id = $1 and type = 'automation.rule.held' order by seq`,
        [ruleId],
      )
    ).map(({ data: { reason, count } }) => ({ reason, count }));

  const updated = (contactId: string, cause?: Cause) =>
    emit(contactUpdated, { contact_id: contactId, organization_id: organization, name: 'Ada', changed: ['name'] }, cause);

  /** A row alone. */
  const wait = ({ run: runId, subject, event }: { run: string; subject: string; event: string }) =>
    sql(
      `insert into automation_waits (organization_id, run_id, event_type, subject_type, subject_id) values ($1, $2, $3, 'contact', $4)`,
      [organization, runId, event, subject],
    );

  /** A run about a contact in its first step, which waits for an event; its job is parked till tomorrow. */
  async function waitingRun({ rule: ruleId, subject, event, vars = {} }: WaitingGiven): Promise<string> {
    const about = { subjectType: 'contact', subjectId: subject, contactId: subject } as const;
    const more = { version: 1, mode: 'live', trigger: 'manual', isExclusive: false } as const;
    const [id] = await transact({}, ({ own }) => beginRuns(own, [{ ruleId, ...about, ...more, chain: [ruleId] }]));
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const position: Position = { at: [0], waiting: { until, awaits: true } };
    await sql(`update automation_runs set state = 'running', waiting_for = 'wait_for', position = $2, vars = $3 where id = $1`, [
      id,
      JSON.stringify(position),
      JSON.stringify(vars),
    ]);
    await sql(
      `update jobs set run_at = clock_timestamp() + interval '1 day', check_at = clock_timestamp() + interval '23 hours', slot_at = null
        where subject_id = $1`,
      [id],
    );
    await wait({ run: id!, subject, event });
    return id!;
  }

  /** A run whose one step waits for an event about a contact. */
  async function waitsFor({ event = 'contact.updated', conditions, vars, contactId }: WaitsGiven): Promise<string> {
    const ask = { id: 'ask', type: 'wait_for', event, timeout: { days: 1 }, ...(conditions && { conditions }) };
    return waitingRun({ rule: await rule({ trigger: { type: 'manual' }, steps: [ask] }), subject: contactId, event, vars });
  }

  /** The event that woke it, the waits it has, and whether its job is due. */
  const waitSeen = async (id: string) =>
    (
      await sql<{ event_id: string | null; waits: number; is_due: boolean }>(
        `select r.position->'waiting'->>'event_id' as event_id, j.run_at <= clock_timestamp() as is_due,
                (select count(*)::int from automation_waits w where w.run_id = r.id) as waits
           from automation_runs r
           join jobs j on j.subject_id = r.id
          where r.id = $1`,
        [id],
      )
    )[0]!;

  async function reset() {
    await house.reset('automation_rules', 'events');
    await makePool();
  }

  return {
    house,
    sql,
    organization,
    transact,
    rule,
    run,
    wait,
    waitingRun,
    waitsFor,
    waitSeen,
    reset,
    emit,
    updated,
    evaluationOf,
    evaluate,
    runs,
    runsBut,
    held,
    told,
    close: () => house.close(),
  };
}
export type RuleHouse = Awaited<ReturnType<typeof openRuleHouse>>;
