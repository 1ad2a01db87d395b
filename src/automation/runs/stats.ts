import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Ask } from '../../platform/listing/paging.ts';
import { momentMs } from '../../platform/time/moment.ts';
import { AutomationRule } from '../rule.entity.ts';
import { type RunState, runStates } from '../states.ts';
import { countedRuns } from './counted.ts';

export type RunStats = { total: number } & Record<RunState, number>;
/** `until`: before this time. */
export type StatsAsked = { ruleId?: string; since?: string; until?: string };

const ruleById = statement((select, { id }: { id: string }) =>
  select(AutomationRule).select('id').where('id', '=', id).where('deleted_at', 'is', null),
);

/** Throws 422 for a rule that is not there, and for a time that ends before it begins. */
export async function assertStatsAsked(own: Own, { ruleId, since, until }: StatsAsked): Promise<void> {
  if (since && until && momentMs(since) > momentMs(until))
    throw invalidField('since', 'since must not be after until', 'time.order', 'query');
  if (ruleId && (await ruleById(own, { id: ruleId })).length === 0)
    throw invalidField('rule_id', 'There is no such rule', 'rule.unknown', 'query');
}

/** `total` is the sum of the others. */
export function statsFrom(byState: Partial<Record<RunState, number>>): RunStats {
  const counts = Object.fromEntries(runStates.map((state) => [state, byState[state] ?? 0])) as Record<RunState, number>;
  return { ...counts, total: Object.values(counts).reduce((sum, count) => sum + count, 0) };
}

/** All time: with what purges took. Above 50,000 runs it may be 5 seconds old. */
export const statsOf = async (own: Own, ruleId?: string): Promise<RunStats> => statsFrom(await countedRuns(own, ruleId));

/** SQL: ranges of an index, a count each. A purge keeps no time: what it took is in no range. */
const inRange = (ofRule: string) => `
  select s.state, c.count
    from unnest($4::text[]) as s(state),
         lateral (
           select count(*)::float8 as count
             from automation_runs r
            where r.organization_id = $1 and r.state = s.state ${ofRule}
              and r.created_at >= coalesce($2::timestamptz, '-infinity') and r.created_at < coalesce($3::timestamptz, 'infinity')) c`;

/** Of runs that began within a time and are still there. */
export async function statsWithin(ask: Ask, own: Own, { ruleId, since, until }: StatsAsked): Promise<RunStats> {
  const params = [own.organizationId, since ?? null, until ?? null, runStates, ...(ruleId ? [ruleId] : [])];
  const rows = await ask<{ state: RunState; count: number }>(inRange(ruleId ? 'and r.rule_id = $5' : ''), params);
  return statsFrom(Object.fromEntries(rows.map(({ state, count }) => [state, count])));
}
