import { sql } from 'kysely';
import type { Caller } from '../../organizations/caller.ts';
import type { Scope } from '../../organizations/scopes.ts';
import type { Runs } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError } from '../../platform/errors.ts';
import { literal } from '../actions/faults.ts';
import { actions } from '../actions/index.ts';
import { scopesOf } from '../definition/check.ts';
import type { Definition } from '../definition/definition.ts';
import { stepsIn } from '../definition/walk.ts';
import { AutomationRule, AutomationRuleVersion } from '../rule.entity.ts';

export type MaySave = Pick<Caller, 'scopes'>;

const startedById = statement((select, { ids }: { ids: string[] }) =>
  select(AutomationRule, AutomationRuleVersion)
    .leftJoin('automation_rule_versions', (join) =>
      join
        .onRef('automation_rule_versions.rule_id', '=', 'automation_rules.id')
        .onRef('automation_rule_versions.number', '=', 'automation_rules.version'),
    )
    .select(['automation_rules.draft', 'automation_rule_versions.definition'])
    .where('automation_rules.deleted_at', 'is', null)
    .where('automation_rules.id', '=', sql<string>`any(${ids}::uuid[])`),
);

/**
 * A published rule acts as the organization does, whoever began it: nobody makes it do what they may not do themselves, nor by another rule that its steps
 * start. Throws 403, which names each scope that is missing.
 */
export async function assertMayUse(own: Runs, { scopes }: MaySave, ...definitions: Definition[]): Promise<void> {
  const missing = [...(await scopesNeeded(own, definitions))].filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  const names = missing.join(', ');
  throw new AppError('forbidden', `The actions of the rule need ${names}, which the credential does not have`);
}

/** Of the rules that they start what is published, or the draft of one that never was; what they become later is for whoever publishes that. */
async function scopesNeeded(own: Runs, definitions: Definition[]): Promise<Set<Scope>> {
  const needed = new Set<Scope>();
  const seen = new Set<string>();
  for (let next = definitions; next.length > 0; ) {
    for (const scope of next.flatMap(scopesOf)) needed.add(scope);
    const named = next.flatMap(startedBy);
    // It is known when the step is rendered: any rule.
    if (named.includes(undefined)) return new Set([...actions.values()].flatMap((action) => action.scopes));
    const ids = [...new Set(named as string[])].filter((id) => !seen.has(id));
    for (const id of ids) seen.add(id);
    const rules = ids.length === 0 ? [] : await startedById(own, { ids });
    next = rules.map(({ draft, definition }) => (definition ?? draft) as Definition);
  }
  return needed;
}

/** undefined: Liquid says which. */
const startedBy = ({ steps }: Definition): (string | undefined)[] =>
  [...stepsIn(steps)].flatMap(({ step }) => (step.type === 'start_rule' ? [literal(step.rule_id as string)?.toLowerCase()] : []));
