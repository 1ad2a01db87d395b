import { sql } from 'kysely';
import type { Own, Runs } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Definition } from '../definition/definition.ts';
import { AutomationRuleVersion } from '../rule.entity.ts';
import { getRule } from './rule-row.ts';

const columns = ['number', 'published_by', 'created_at'] as const;
export type VersionRow = RowOf<typeof AutomationRuleVersion, (typeof columns)[number]>;
export type WholeVersion = VersionRow & { definition: Definition };

const byNumber = statement((select, { ruleId, number }: { ruleId: string; number: number }) =>
  select(AutomationRuleVersion)
    .select([...columns, 'definition'])
    .where('rule_id', '=', ruleId)
    .where('number', '=', number),
);
const newest = statement((select, { ruleId, before, limit }: { ruleId: string; before: number; limit: number }) =>
  select(AutomationRuleVersion)
    .select(columns)
    .where('rule_id', '=', ruleId)
    .where('number', '<', before)
    .orderBy('number', 'desc')
    .limit(limit),
);

const countOf = statement((select, { ruleId }: { ruleId: string }) =>
  select(AutomationRuleVersion).select(sql<number>`count(*)::int`.as('total')).where('rule_id', '=', ruleId),
);

/** Throws 404. */
export async function getVersion(own: Runs, ruleId: string, number: number): Promise<WholeVersion> {
  const [row] = await byNumber(own, { ruleId, number });
  if (!row) throw notFound('Version');
  return row;
}

/** Of a rule that is there, by its number or the one that it runs with. Throws 404. */
export async function readVersion(own: Own, ruleId: string, number: number): Promise<WholeVersion> {
  await getRule(own, ruleId);
  return getVersion(own, ruleId, number);
}

const afterAll = 2 ** 31 - 1;

type VersionPage = { limit: number; before?: number; includeTotal: boolean };

/** Newest first, one more than `limit`. Throws 404. */
export async function listVersions(own: Own, ruleId: string, { limit, before = afterAll, includeTotal }: VersionPage) {
  await getRule(own, ruleId);
  const rows = await newest(own, { ruleId, before, limit: limit + 1 });
  const [counted] = includeTotal ? await countOf(own, { ruleId }) : [];
  return { rows, total: counted?.total };
}

/** It never changes again: a run keeps the one it began with. */
export const insertVersion = (
  own: OwnTx,
  row: { rule_id: string; number: number; definition: Definition; published_by: string },
) => own.insert(AutomationRuleVersion, row);
