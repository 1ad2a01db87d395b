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
