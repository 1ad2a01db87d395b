import Joi from 'joi';
import type { Action } from '../../../../src/automation/actions/action.ts';
import type { Kit } from '../../../../src/automation/definition/read-steps.ts';
import { inBody } from '../../../../src/automation/definition/shape.ts';

const action = (type: string, kind: Action['kind'], scopes: string[], fields: Joi.ObjectSchema, more: object = {}) =>
  [type, { type, kind, scopes, fields, description: type, example: {}, ...more } as unknown as Action] as const;

/** Some actions, and conditions of which each is a comparison with a field. */
export const kit: Kit = {
  actions: new Map([
    action(
      'add_tag',
      'database',
      ['contacts:write'],
      Joi.object({ tag: Joi.string().trim().max(64).required(), silent: Joi.boolean(), times: Joi.number().integer() }),
    ),
    action(
      'create_deal',
      'database',
      ['crm:write', 'contacts:write'],
      Joi.object({
        title: Joi.string().max(200).required(),
        status: Joi.string().valid('open', 'won'),
        contacts: Joi.array()
          .items(Joi.object({ contact_id: Joi.string().guid().required(), role: Joi.string() }))
          .max(2),
        owner_user_id: Joi.string().guid(),
        stage_id: Joi.string().guid(),
      }).oxor('owner_user_id', 'stage_id'),
    ),
    action('call', 'call', ['automation:write'], Joi.object({ url: Joi.string().uri().required(), body: Joi.any() })),
  ]),
  conditionFaults: (given, path) =>
    given !== null && typeof given === 'object' && 'field' in given ? [] : [inBody(path, 'condition', 'It is no condition')],
};

export const tag = (id: string, text = 'vip') => ({ id, type: 'add_tag', tag: text });
export const holds = { field: 'contact.name', operator: 'eq', value: 'Ada' };

/** With the steps. */
export const definitionOf = (steps: unknown, more: object = {}) => ({ trigger: { type: 'manual' }, steps, ...more });

/** Branches in branches, so many. */
export function nested(depth: number): object[] {
  if (depth === 0) return [tag('inmost')];
  return [{ id: `level_${depth}`, type: 'branch', branches: [{ conditions: holds, steps: nested(depth - 1) }] }];
}

export const triggered = (trigger: object, more: object = {}) => ({ trigger, steps: [tag('a')], ...more });

/** As large as a body may be, and each wrong. */
export const largeDefinitions: [string, unknown][] = [
  ['13,000 steps', definitionOf(Array.from({ length: 13_000 }, () => ({ id: 'a' })))],
  [
    '100,000 names',
    definitionOf([
      { id: 'a', type: 'set_vars', vars: Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`a${n}`, 1])) },
    ]),
  ],
  [
    'as much Liquid',
    definitionOf([{ id: 'a', type: 'set_vars', vars: { x: Array.from({ length: 20_000 }, () => '{{vars.a}}') } }]),
  ],
  [
    'a list of keywords',
    triggered({ type: 'keyword', match: 'exact', keywords: Array.from({ length: 30_000 }, (_, n) => `${n}`) }),
  ],
  ['a list of empty things', definitionOf(Array.from({ length: 80_000 }, () => []))],
];

/** A valid rule of 2,250 conditions. */
export function manyConditions() {
  const all = Array.from({ length: 45 }, () => ({ field: 'event.data.text', operator: 'contains', value: 'aab' }));
  const branches = Array.from({ length: 50 }, () => ({ conditions: { all }, steps: [] }));
  return { trigger: { type: 'api', name: 'n' }, steps: [{ id: 'choose', type: 'branch', branches }] };
}
