import type { Definition } from '../../src/automation/definition/definition.ts';
import { automationPool } from '../../src/automation/jobs.ts';
import { poolWidth } from '../../src/automation/limits.ts';
import type { RuleMode, RuleStatus, RunState } from '../../src/automation/states.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { poolOf, setPool } from '../../src/platform/ledger/pools.ts';
import { type TenantTransact, transactFor } from '../../src/platform/ledger/tenant.ts';
import { openHouse } from './house.ts';

type RuleGiven = Partial<Definition> & { status?: RuleStatus; mode?: RuleMode; eventType?: string | null; organization?: string };
type RunGiven = { rule: string; subject: string; state?: RunState; minutesAgo?: number; isExclusive?: boolean; eventId?: string };

const eventTypeOf = ({ trigger }: Definition): string | null => {
  if (trigger.type === 'event') return trigger.event;
  return trigger.type === 'keyword' ? 'message.new' : trigger.type === 'api' ? 'automation.event' : null;
};

/** A house with published rules, whose evaluations run when the test says so. */
export async function openRuleHouse() {
  const house = await openHouse();
  const { sql, organizationId: organization } = house;
  await setPool(house.em(), poolOf(organization, automationPool(organization)), poolWidth, null);
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

  return { house, sql, organization, transact, rule, run, close: () => house.close() };
}
export type RuleHouse = Awaited<ReturnType<typeof openRuleHouse>>;
