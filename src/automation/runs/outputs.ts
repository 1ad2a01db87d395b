import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AutomationStep } from '../run.entity.ts';

const outputsStatement = statement((select, { runId }: { runId: string }) =>
  select(AutomationStep)
    .select(['step_id', 'output'])
    .where('run_id', '=', runId)
    .where('state', 'in', ['done', 'skipped'])
    .orderBy('number'),
);

/** Of the steps that a run took, by their ids. */
export async function outputsOf(own: Own, runId: string): Promise<Record<string, unknown>> {
  const rows = await outputsStatement(own, { runId });
  return Object.fromEntries(rows.map(({ step_id, output }) => [step_id, output ?? {}]));
}
