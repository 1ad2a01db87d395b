import { now } from '../platform/database/columns.ts';
import type { Owned } from '../platform/database/own.ts';
import { onboardingUpdated } from '../platform/events/onboarding-updated.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { Onboarding, steps, type WorkStep, workSteps } from './onboarding.entity.ts';

/** Of its jobs too, so that they have its lock when they tell of it. */
export const onboardingLane = (id: string) => subjectLock('onboarding', id);

export type Progress = Owned<typeof Onboarding>;
type Change = Partial<Omit<Progress, 'id' | 'organization_id' | 'created_at' | 'updated_at'>>;

/** Needs the lane. */
export async function changeOnboarding(own: OwnTx, onboarding: Progress, change: Change): Promise<Progress> {
  Object.assign(onboarding, change, { updated_at: now() });
  await own.flush();
  tellUpdated(own, onboarding);
  return onboarding;
}

export function tellUpdated(own: OwnTx, { id, organization_id, channel_id, current_step, step_status, error }: Progress) {
  own.emit(onboardingUpdated, {
    onboarding_id: id,
    organization_id,
    channel_id: channel_id ?? '',
    current_step,
    step_status,
    error: error ?? '',
  });
}

const atWork = (own: OwnTx, id: string, step: WorkStep) =>
  own.findOne(Onboarding, { id, current_step: step, step_status: 'in_progress' });

/** `learned`: what later steps work with, and null for what none needs any more. Nothing when the step is not at work. */
export async function completeStep(own: OwnTx, id: string, step: WorkStep, learned: Change = {}): Promise<void> {
  const onboarding = await atWork(own, id, step);
  if (!onboarding) return;
  const place = workSteps.indexOf(step) + 1;
  const next = steps[place]!;
  await changeOnboarding(own, onboarding, {
    ...learned,
    current_step: next,
    step_status: next === 'completed' ? 'completed' : 'pending',
    completed_steps: workSteps.slice(0, place),
  });
}

type StepError = { code: string; message: string; provider_code?: string | null };

/** Most of the provider's messages begin with their code. */
const textOf = ({ code, message, provider_code }: StepError) => {
  const shown = provider_code ?? code;
  return message.includes(shown) ? message : `${message} (${shown})`;
};

/** What the step works with stays, so that it can be tried again. */
export async function failStep(own: OwnTx, id: string, step: WorkStep, error: StepError): Promise<void> {
  const onboarding = await atWork(own, id, step);
  if (onboarding) await changeOnboarding(own, onboarding, { step_status: 'failed', error: textOf(error) });
}
