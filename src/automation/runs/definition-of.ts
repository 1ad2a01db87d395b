import { createBoundedCache } from '../../platform/bounded-cache.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { Definition } from '../definition/definition.ts';
import { AutomationRuleVersion } from '../rule.entity.ts';

const versionStatement = statement((select, { ruleId, version }: { ruleId: string; version: number }) =>
  select(AutomationRuleVersion).select('definition').where('rule_id', '=', ruleId).where('number', '=', version),
);

/** A version never changes, but where an erasure takes a person out of it. As objects they take some eight times the characters of their texts. */
const kept = createBoundedCache<Definition>({ entries: 200, weight: 12_000_000 });

/** `rule_changed_at`: when the rule was, an erasure included; what is kept is of that moment. Without it nothing is kept. */
type Ref = { rule_id: string; version: number; rule_changed_at?: string };

/** Of a run. Not undefined as long as its rule is there. */
export async function definitionOf(own: Own, run: Ref): Promise<Definition> {
  const key = run.rule_changed_at && `${own.organizationId}:${run.rule_id}:${run.version}:${run.rule_changed_at}`;
  const known = key && kept.get(key);
  if (known) return known;
  const [row] = await versionStatement(own, { ruleId: run.rule_id, version: run.version });
  if (!row) throw new Error(`The rule ${run.rule_id} has no version ${run.version}`);
  const definition = row.definition as Definition;
  if (key) kept.set(key, definition, JSON.stringify(definition).length);
  return definition;
}
