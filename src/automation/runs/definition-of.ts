import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { Definition } from '../definition/definition.ts';
import { AutomationRuleVersion } from '../rule.entity.ts';

const versionStatement = statement((select, { ruleId, version }: { ruleId: string; version: number }) =>
  select(AutomationRuleVersion).select('definition').where('rule_id', '=', ruleId).where('number', '=', version),
);

/** A version never changes. As objects they take some eight times the characters of their texts. */
const most = { versions: 200, characters: 12_000_000 };
type Kept = { definition: Definition; characters: number };
const kept = new Map<string, Kept>();
let characters = 0;

/** A map keeps the order of entry: the first was not used for longest. */
function keep(key: string, one: Kept): void {
  if (!kept.delete(key)) characters += one.characters;
  kept.set(key, one);
  for (const [old, { characters: size }] of kept) {
    if (old === key || (kept.size <= most.versions && characters <= most.characters)) break;
    kept.delete(old);
    characters -= size;
  }
}

/** Of a run. Not undefined as long as its rule is there. */
export async function definitionOf(own: Own, run: { rule_id: string; version: number }): Promise<Definition> {
  const key = `${own.organizationId}:${run.rule_id}:${run.version}`;
  const known = kept.get(key);
  if (known) {
    keep(key, known);
    return known.definition;
  }
  const [row] = await versionStatement(own, { ruleId: run.rule_id, version: run.version });
  if (!row) throw new Error(`The rule ${run.rule_id} has no version ${run.version}`);
  const definition = row.definition as Definition;
  keep(key, { definition, characters: JSON.stringify(definition).length });
  return definition;
}
