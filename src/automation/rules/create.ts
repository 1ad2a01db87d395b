import { sql } from 'kysely';
import { cut } from '../../platform/cut.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Definition } from '../definition/definition.ts';
import { maxRules } from '../limits.ts';
import { AutomationRule } from '../rule.entity.ts';
import type { RuleMode } from '../states.ts';
import { readGiven } from './faults.ts';
import { getRule, type RuleRow, rulesLock } from './rule-row.ts';
import { assertMayUse, type MaySave } from './scopes.ts';

export const maxName = 200;

/** Of a definition what is given; readDefinition says what must be. */
export type GivenDefinition = { [Member in keyof Definition]?: unknown };
export type NewRule = GivenDefinition & { name: string; mode?: RuleMode };
/** `actor`: who is asked for it later. */
export type Author = MaySave & { actor: string };

const countAll = statement((select) =>
  select(AutomationRule).select(sql<number>`count(*)::int`.as('total')).where('deleted_at', 'is', null),
);

/** A draft: nothing begins it. Needs `rulesLock`. Throws 422 for each fault in its shape and at the limit, 403 for what its author may not do. */
export async function createRule(own: OwnTx, author: Author, { name, mode = 'live', ...given }: NewRule): Promise<RuleRow> {
  const draft = readGiven(own, given);
  await assertMayUse(own, author, draft);
  return insertRule(own, author, { name, mode, draft });
}

/** A draft of the same draft. Throws 404, and as createRule. */
export async function duplicateRule(own: OwnTx, author: Author, id: string): Promise<RuleRow> {
  const { name, mode, draft } = await getRule(own, id);
  await assertMayUse(own, author, draft);
  return insertRule(own, author, { name: copyOf(name), mode, draft });
}

async function insertRule(own: OwnTx, { actor }: Author, row: { name: string; mode: RuleMode; draft: Definition }) {
  own.assertLocked(rulesLock(own.organizationId));
  const [counted] = await countAll(own, {});
  if (counted!.total >= maxRules)
    throw new AppError('limit_reached', `An organization has at most ${maxRules} rules: delete one first`);
  const id = uuidv7();
  await own.insert(AutomationRule, { ...none, ...row, id, created_by: actor });
  return getRule(own, id);
}

const none = { event_type: null, paused_at: null, next_at: null, tick_job_id: null, published_at: null, deleted_at: null };

const suffix = ' (copy)';

function copyOf(name: string): string {
  return `${cut(name, maxName - suffix.length)}${suffix}`;
}
