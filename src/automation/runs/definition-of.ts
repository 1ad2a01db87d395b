import { createBoundedCache } from '../../platform/bounded-cache.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { Definition } from '../definition/definition.ts';
import { AutomationRuleVersion } from '../rule.entity.ts';

const versionStatement = statement((select, { ruleId, version }: { ruleId: string; version: number }) =>
  select(AutomationRuleVersion).select('definition').where('rule_id', '=', ruleId).where('number', '=', version),
);

/** A version never changes. As objects they take some eight times the characters of their texts. */
const kept = createBoundedCache<Definition>({ entries: 200, weight: 12_000_000 });

/** Of a run. Not undefined as long as its rule is there. */
export async function definitionOf(own: Own, run: { rule_id: string; version: number }): Promise<Definition> {
  const key = `${own.organizationId}:${run.rule_id}:${run.version}`;
  const known = kept.get(key);
  if (known) return known;
  const [row] = await versionStatement(own, { ruleId: run.rule_id, version: run.version });
  if (!row) throw new Error(`The rule ${run.rule_id} has no version ${run.version}`);
  const definition = row.definition as Definition;
  kept.set(key, definition, JSON.stringify(definition).length);
  return definition;
}
