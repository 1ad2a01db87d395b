import Joi from 'joi';
import { assertStatsAsked, type StatsAsked, statsOf, statsWithin } from '../../src/automation/runs/stats.ts';
import { momentForm } from '../../src/platform/schemas/moment.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id, moment } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { tag } from './run-schemas.ts';

const number = Joi.number().integer().required();

/** The contract's: these six and no other. */
export const runStatsView = view(
  'automation_run_statistics',
  Joi.object({
    cancelled: number,
    failed: number,
    queued: number,
    running: number.description('With those that wait'),
    succeeded: number,
    total: number.description('The sum of the others'),
  }),
  { cancelled: 3, failed: 2, queued: 1, running: 14, succeeded: 980, total: 1_000 },
);

export const statsOfRuns = endpoint({
  tag,
  method: 'get',
  path: '/v1/automation/runs/stats',
  operationId: 'automation.runs.stats',
  scope: 'automation:read',
  summary: 'Count the runs by state',
  description:
    'Of all time, with those that are no longer kept. Above 50,000 runs it is what was counted at most 5 seconds ago, or 20 times as long as counting takes. With `since` or `until`: counted now, of the runs that began then and are still kept.',
  query: Joi.object<{ rule_id?: string; since?: string; until?: string }>({
    rule_id: id.description('Runs of this rule; an unknown one is a 422'),
    since: moment.description(`Begun at this time or later: ${momentForm}`),
    until: moment.description('Begun before this time'),
  }),
  responses: { 200: runStatsView },
  async handler({ query: { rule_id: ruleId, since, until }, own }, { reads }) {
    const asked: StatsAsked = { ruleId, since, until };
    await assertStatsAsked(own, asked);
    if (!since && !until) return ok(await statsOf(own, ruleId));
    return ok(await reads.dear(own.organizationId, (ask) => statsWithin(ask, own, asked)));
  },
});
