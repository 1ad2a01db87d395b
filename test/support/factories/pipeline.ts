import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';

export type PipelineMade = { id: string; stages: Record<'first' | 'second' | 'third' | 'won' | 'lost', string> };

type Given = { isDefault?: boolean; needsLostReason?: boolean };

/** A pipeline of three open stages, one won and one lost. */
export async function pipeline(em: Em, organizationId: string, given: Given = {}): Promise<PipelineMade> {
  const { isDefault = true, needsLostReason = false } = given;
  const id = uuidv7();
  await query(
    em,
    'insert into pipelines (organization_id, id, name, is_default, needs_lost_reason) values ($1, $2, $3, $4, $5)',
    [organizationId, id, 'Sales', isDefault, needsLostReason],
  );
  const stages = { first: uuidv7(), second: uuidv7(), third: uuidv7(), won: uuidv7(), lost: uuidv7() };
  const kinds = { first: ['open', 10], second: ['open', 40], third: ['open', 75], won: ['won', 100], lost: ['lost', 0] } as const;
  for (const [position, name] of (Object.keys(stages) as (keyof typeof stages)[]).entries())
    await query(
      em,
      `insert into pipeline_stages (organization_id, id, pipeline_id, name, kind, probability, position)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [organizationId, stages[name], id, name, ...kinds[name], position],
    );
  return { id, stages };
}
