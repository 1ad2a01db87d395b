import { AppError, notFound } from '../platform/errors.ts';
import { isUuid } from '../platform/ids.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { onboardingLane } from './change.ts';
import { Onboarding } from './onboarding.entity.ts';

/** With what its steps work with, sealed or not. Needs the lane. Throws 404, and 409 while a step is at work. */
export async function deleteOnboarding(own: OwnTx, id: string): Promise<void> {
  own.assertLocked(onboardingLane(id));
  const onboarding = isUuid(id) ? await own.findOne(Onboarding, { id }) : undefined;
  if (!onboarding) throw notFound('Onboarding');
  if (onboarding.step_status === 'in_progress')
    throw new AppError('conflict', `${onboarding.current_step} is at work: wait for its end, or call its operation off`);
  await own.delete(Onboarding, { id });
}
