import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { list } from '../platform/listing/paging.ts';
import { Onboarding, type StepStatus, type WorkStep } from './onboarding.entity.ts';

const columns = [
  'id',
  'organization_id',
  'channel_id',
  'account_id',
  'phone_number_id',
  'current_step',
  'step_status',
  'completed_steps',
  'error',
  'created_at',
  'updated_at',
] as const;
export type OnboardingRow = RowOf<typeof Onboarding, (typeof columns)[number]>;

export const listOnboardings = list((select) => select(Onboarding).select(columns));
/** In the order of the same index: an organization has few. */
export const listOnboardingsThatAre = list((select, { status }: { status: StepStatus }) =>
  select(Onboarding).select(columns).where('step_status', '=', status),
);

const onboardingById = statement((select, { id }: { id: string }) => select(Onboarding).select(columns).where('id', '=', id));

export async function readOnboarding(own: Own, id: string): Promise<OnboardingRow> {
  const [row] = await onboardingById(own, { id });
  if (!row) throw notFound('Onboarding');
  return row;
}

const atStep = statement((select, { id, step }: { id: string; step: WorkStep }) =>
  select(Onboarding)
    .select(['account_id', 'phone_number_id', 'channel_name', 'rate', 'code', 'access_token', 'pin'])
    .where('id', '=', id)
    .where('current_step', '=', step)
    .where('step_status', '=', 'in_progress'),
);
export type AtStep = Awaited<ReturnType<typeof atStep>>[number];

/** What a step works with, sealed as it is stored. Undefined: the step is done, or it was called off. */
export async function findAtStep(own: Own, id: string, step: WorkStep): Promise<AtStep | undefined> {
  const [row] = await atStep(own, { id, step });
  return row;
}
