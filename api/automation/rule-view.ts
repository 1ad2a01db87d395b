import Joi from 'joi';
import { heldBy, type RuleRow } from '../../src/automation/rules/rule-row.ts';
import { statsOf } from '../../src/automation/runs/stats.ts';
import { pausedReasons, ruleStatuses, runStates } from '../../src/automation/states.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { definitionFields, exampleDefinition, exampleName, exampleRuleId, mode } from './rule-schemas.ts';

const number = Joi.number().integer().required();
const actor = Joi.string().allow('').required();
const time = timestamp.allow(null).required();
const countNames = [...runStates, 'total', 'held'] as const;

export const shownDefinition = Object.fromEntries(
  Object.entries(definitionFields).map(([name, schema]) => [name, schema.required()]),
);

export const ruleView = view(
  'automation_rule',
  Joi.object({
    id: id.required(),
    name: Joi.string().required(),
    status: Joi.string()
      .valid(...ruleStatuses)
      .required()
      .description('`draft`: it was never published'),
    mode: mode.required(),
    version: number.description('The one it runs with; 0: none'),
    revision: number.description('One more with each change, of its status too'),
    has_changes: Joi.boolean().required().description('The draft is another one than the version it runs with'),
    ...shownDefinition,
    paused_reason: Joi.string()
      .valid(...pausedReasons)
      .required()
      .description('Why it paused by itself; empty: somebody asked for it'),
    next_at: time.description('The next moment of a schedule or a date, while it is live'),
    stats: Joi.object(Object.fromEntries(countNames.map((name) => [name, number])))
      .required()
      .description('Its runs by state, since the beginning; `held`: starts that were held back'),
    created_by: actor.description('`user:<id>`, or `key:<id>` for a program'),
    published_by: actor,
    published_at: time,
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleRuleId,
    name: exampleName,
    status: 'draft',
    mode: 'live',
    version: 0,
    revision: 1,
    has_changes: true,
    ...exampleDefinition,
    paused_reason: '',
    next_at: null,
    stats: Object.fromEntries(countNames.map((name) => [name, 0])),
    created_by: `user:${exampleIds.user}`,
    published_by: '',
    published_at: null,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

export const liveExample = {
  status: 'live',
  version: 1,
  revision: 2,
  has_changes: false,
  published_by: `user:${exampleIds.user}`,
  published_at: exampleTime,
};

export async function toRuleViews(own: Own, rows: RuleRow[]) {
  const held = await heldBy(
    own,
    rows.map(({ id }) => id),
  );
  return Promise.all(
    rows.map(async (row) => {
      const total = Object.values(held.get(row.id)!).reduce((sum, count) => sum + count, 0);
      return viewOf(row, { ...(await statsOf(own, row.id)), held: total });
    }),
  );
}

export const toRuleView = async (own: Own, row: RuleRow) => (await toRuleViews(own, [row]))[0]!;

function viewOf(row: RuleRow, stats: object) {
  const { id, name, status, mode, version, revision, has_changes, paused_reason, created_by, published_by } = row;
  const { trigger, conditions, steps, concurrency, exit_when, limits } = row.draft;
  return {
    ...{ id, name, status, mode, version, revision, has_changes },
    ...{ trigger, conditions, steps, concurrency, exit_when, limits, paused_reason },
    next_at: status === 'live' && row.next_at ? iso(row.next_at) : null,
    stats,
    created_by,
    published_by,
    published_at: row.published_at && iso(row.published_at),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}
