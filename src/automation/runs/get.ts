import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import { AutomationRun, AutomationStep } from '../run.entity.ts';
import { type RunRow, runColumns } from './columns.ts';

const stepColumns = [
  'number',
  'step_id',
  'type',
  'state',
  'attempt',
  'input',
  'output',
  'error',
  'started_at',
  'ended_at',
] as const;
export type StepRow = RowOf<typeof AutomationStep, (typeof stepColumns)[number]>;
/** `vars`, and a step's `input` and `output`: of people. An erasure takes them. */
export type WholeRun = RunRow & { vars: Record<string, unknown>; steps: StepRow[] };

const runById = statement((select, { id }: { id: string }) =>
  select(AutomationRun)
    .select([...runColumns, 'vars'])
    .where('id', '=', id),
);
const rowById = statement((select, { id }: { id: string }) => select(AutomationRun).select(runColumns).where('id', '=', id));
const stepsOf = statement((select, { runId }: { runId: string }) =>
  select(AutomationStep).select(stepColumns).where('run_id', '=', runId).orderBy('number'),
);

/** As a list shows it. Throws 404. */
export async function findRun(own: Own, id: string): Promise<RunRow> {
  const [run] = await rowById(own, { id });
  if (!run) throw notFound('Run');
  return run;
}

/** With the steps it took, in their order. Throws 404. */
export async function getRun(own: Own, id: string): Promise<WholeRun> {
  const [[run], steps] = await Promise.all([runById(own, { id }), stepsOf(own, { runId: id })]);
  if (!run) throw notFound('Run');
  return { ...run, steps };
}
