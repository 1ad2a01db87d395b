import Joi from 'joi';
import { maxCountedRuns, statsOfRule } from '../../src/automation/rules/stats.ts';
import { heldReasons, runStates } from '../../src/automation/states.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { tag } from './automation-schemas.ts';
import { exampleRuleId, oneRule } from './rule-schemas.ts';

const number = Joi.number().integer().required();
const countsOf = (names: readonly string[]) => Joi.object(Object.fromEntries(names.map((name) => [name, number]))).required();
const runNames = [...runStates, 'total'] as const;

const ruleStatsView = view(
  'automation_rule_stats',
  Joi.object({
    rule_id: id.required(),
    runs: countsOf(runNames).description('Its runs by state, since the beginning'),
    held: countsOf(heldReasons).description('Starts that were held back, by reason'),
    steps: Joi.array()
      .items(
        Joi.object({
          step_id: Joi.string().required(),
          type: Joi.string().required(),
          done: number,
          failed: number,
          waiting: number.description('A call that has not answered counts here'),
          skipped: number.description('In the mode `log`, or passed over when the run was cancelled'),
        }),
      )
      .required()
      .description('In the order of the version it runs with, then steps that only earlier versions had'),
    steps_of: number.description(`Of so many runs the steps are counted: the newest ${maxCountedRuns.toLocaleString('en')}`),
  }),
  {
    rule_id: exampleRuleId,
    runs: { queued: 0, running: 3, succeeded: 120, failed: 1, cancelled: 2, total: 126 },
    held: { ...Object.fromEntries(heldReasons.map((reason) => [reason, 0])), too_often: 4 },
    steps: [{ step_id: 'welcome', type: 'add_tag', done: 123, failed: 1, waiting: 0, skipped: 0 }],
    steps_of: 126,
  },
);

export const statsOfOneRule = endpoint({
  tag,
  subject: 'Rule',
  method: 'get',
  path: `${oneRule}/stats`,
  operationId: 'automation.rules.stats',
  scope: 'automation:read',
  summary: 'Statistics of a rule: its runs, its steps, and what was held back',
  responses: { 200: ruleStatsView },
  handler: async ({ params, own }, { reads }) => {
    const { held, ...stats } = await reads.dear(own.organizationId, (ask) => statsOfRule(ask, own, params.ruleID));
    const all = Object.fromEntries(heldReasons.map((reason) => [reason, held[reason] ?? 0]));
    return ok({ rule_id: params.ruleID, ...stats, held: all });
  },
});
