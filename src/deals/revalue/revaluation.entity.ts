import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times, timestamp } from '../../platform/database/columns.ts';

export const revaluationStates = ['open', 'ended'] as const;

/** The subject of an operation over all open deals, in the order of their creation. */
export const DealRevaluation = defineEntity({
  name: 'DealRevaluation',
  tableName: 'deal_revaluations',
  properties: {
    ...tenant(),
    state: p.enum(revaluationStates),
    actor: p.text(),
    /** The last deal that was looked at; null: none yet. */
    reached_at: timestamp().strictNullable(),
    reached_id: p.uuid().strictNullable(),
    done: p.integer().default(0),
    changed: p.integer().default(0),
    ...times(),
    finished_at: timestamp().strictNullable(),
  },
});
