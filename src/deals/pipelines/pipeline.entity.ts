import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times } from '../../platform/database/columns.ts';

export const stageKinds = ['open', 'won', 'lost'] as const;
export type StageKind = (typeof stageKinds)[number];

export const Pipeline = defineEntity({
  name: 'Pipeline',
  tableName: 'pipelines',
  properties: {
    ...tenant(),
    name: p.text(),
    /** New deals go to its first open stage. */
    is_default: p.boolean().default(false),
    needs_lost_reason: p.boolean().default(false),
    ...times(),
  },
});

export const PipelineStage = defineEntity({
  name: 'PipelineStage',
  tableName: 'pipeline_stages',
  properties: {
    ...tenant(),
    pipeline_id: p.uuid(),
    name: p.text(),
    kind: p.enum(stageKinds),
    /** In percent: how likely a deal in this stage is won. */
    probability: p.integer(),
    /** Its place in the pipeline. */
    position: p.integer(),
    ...times(),
  },
});
