import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { Definition } from '../definition/definition.ts';
import { AutomationRuleVersion } from '../rule.entity.ts';

const versionStatement = statement((select, { ruleId, version }: { ruleId: string; version: number }) =>
  select(AutomationRuleVersion).select('definition').where('rule_id', '=', ruleId).where('number', '=', version),
);

/** A version never changes. Of each the text is at most 256 kB. */
const maxKept = 200;
const kept = new Map<string, Definition>();

/** Of a run. Not undefined as long as its rule is there. */
export async function definitionOf(own: Own, run: { rule_id: string; version: number }): Promise<Definition> {
  const key = `${own.organizationId}:${run.rule_id}:${run.version}`;
  const known = kept.get(key);
  if (known) return known;
  const [row] = await versionStatement(own, { ruleId: run.rule_id, version: run.version });
  if (!row) throw new Error(`The rule ${run.rule_id} has no version ${run.version}`);
  const definition = row.definition as Definition;
  if (kept.size >= maxKept) kept.delete(kept.keys().next().value!);
  kept.set(key, definition);
  return definition;
}
