import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../platform/database/columns.ts';

/** When a rule last gave a conversation to a member, by turns. */
export const AutomationTurn = defineEntity({
  name: 'AutomationTurn',
  tableName: 'automation_turns',
  properties: {
    organization_id: p.uuid().primary(),
    rule_id: p.uuid().primary(),
    user_id: p.uuid().primary(),
    taken_at: timestamp().returning().defaultRaw('clock_timestamp()'),
  },
});
