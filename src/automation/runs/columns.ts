import type { RowOf } from '../../platform/database/tables.ts';
import type { AutomationRun } from '../run.entity.ts';

/** What a list shows of a run: ids and states. `reason` and the message of `error` may tell of a person: they are for who reads contacts. */
export const runColumns = [
  'id',
  'rule_id',
  'version',
  'mode',
  'state',
  'trigger',
  'event_id',
  'occurs_at',
  'subject_type',
  'subject_id',
  'contact_id',
  'steps_run',
  'waiting_for',
  'wakes_at',
  'failed_step',
  'error',
  'reason',
  'retries',
  'started_by',
  'started_at',
  'ended_at',
  'created_at',
] as const;

export type RunRow = RowOf<typeof AutomationRun, (typeof runColumns)[number]>;
