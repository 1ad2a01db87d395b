import { sql } from 'kysely';
import type { Runs, Select } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import { subjectLock } from '../../platform/ledger/locks.ts';
import { pageWithinBytes } from '../../platform/listing/page-bytes.ts';
import { list, type Page, type PageRows } from '../../platform/listing/paging.ts';
import { AutomationHeld, AutomationRule } from '../rule.entity.ts';
import type { HeldReason, RuleStatus } from '../states.ts';

const columns = [
  ...(['id', 'name', 'status', 'mode', 'draft', 'version', 'revision', 'paused_reason', 'next_at', 'tick_job_id'] as const),
  ...(['created_by', 'published_by', 'published_at', 'created_at', 'updated_at'] as const),
] as const;

/** `has_changes`: the draft is another one than what was published. */
export type RuleRow = RowOf<typeof AutomationRule, (typeof columns)[number]> & { has_changes: boolean };

/** Held by whoever makes a rule: the limit is exact. */
export const rulesLock = (organizationId: string) => subjectLock('automation_rules', organizationId);

const hasChanges = sql<boolean>`automation_rules.draft is distinct from (
  select v.definition
    from automation_rule_versions v
   where v.organization_id = automation_rules.organization_id
     and v.rule_id = automation_rules.id
     and v.number = automation_rules.version)`;

const kept = (select: Select) =>
  select(AutomationRule).select(columns).select(hasChanges.as('has_changes')).where('deleted_at', 'is', null);
const byId = statement((select, { id }: { id: string }) => kept(select).where('id', '=', id));

export async function findRule(own: Runs, id: string): Promise<RuleRow | undefined> {
  const [row] = await byId(own, { id });
  return row;
}

/** Throws 404, for a deleted one too. */
export async function getRule(own: Runs, id: string): Promise<RuleRow> {
  const row = await findRule(own, id);
  if (!row) throw notFound('Rule');
  return row;
}

const sized = (select: Select) =>
  select(AutomationRule).select(['id', 'created_at', 'draft_bytes as bytes']).where('deleted_at', 'is', null);
const all = list(sized);
const ofStatus = list((select, { status }: { status: RuleStatus }) => sized(select).where('status', '=', status));
const ofIds = statement((select, { ids }: { ids: string[] }) =>
  kept(select).where('id', '=', sql<string>`any(${ids}::uuid[])`).orderBy('created_at', 'desc').orderBy('id', 'desc'),
);

export async function listRules(own: Runs, { status }: { status?: RuleStatus }, page: Page): Promise<PageRows<RuleRow>> {
  const found = status ? await ofStatus(own, { status }, page) : await all(own, {}, page);
  return pageWithinBytes(own, found, page.limit, (ids) => ofIds(own, { ids }));
}

const heldOf = statement((select, { ids }: { ids: string[] }) =>
  select(AutomationHeld).select(['rule_id', 'reason', 'count']).where('rule_id', '=', sql<string>`any(${ids}::uuid[])`),
);

/** Starts that were held back since the beginning, of each rule by reason. */
export async function heldBy(own: Runs, ids: string[]): Promise<Map<string, Partial<Record<HeldReason, number>>>> {
  const found = new Map<string, Partial<Record<HeldReason, number>>>(ids.map((id) => [id, {}]));
  for (const { rule_id, reason, count } of await heldOf(own, { ids })) found.get(rule_id)![reason] = count;
  return found;
}
