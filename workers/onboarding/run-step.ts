import { completeStep } from '../../src/onboarding/change.ts';
import { ChannelDeleted } from '../../src/onboarding/connect-number.ts';
import type { WorkStep } from '../../src/onboarding/onboarding.entity.ts';
import type { AtStep } from '../../src/onboarding/queries.ts';
import { findAtStep } from '../../src/onboarding/queries.ts';
import { AppError } from '../../src/platform/errors.ts';
import type { Account } from '../../src/providers/messaging-app/provider.ts';
import type { Outcome, RunContext } from '../handler.ts';

type Learned = NonNullable<Parameters<typeof completeStep>[3]>;

/** `work` gives what the step has learned. Each may run again: the provider takes a repeated call as the first. */
export async function runStep(
  context: RunContext<unknown>,
  id: string,
  step: WorkStep,
  work: (onboarding: AtStep) => Promise<Learned | undefined>,
): Promise<Outcome> {
  const onboarding = await findAtStep(context.own, id, step);
  if (!onboarding) return context.finish();
  try {
    const learned = await work(onboarding);
    return await context.finish(({ own }) => completeStep(own, id, step, learned));
  } catch (error) {
    if (error instanceof ChannelDeleted) return context.fail({ code: 'channel_deleted', message: error.message });
    // Without a time to try again, a conflict is final.
    if (!(error instanceof AppError && error.code === 'conflict' && error.retryAfterSeconds === undefined)) throw error;
    return context.fail({ code: error.code, message: error.message });
  }
}

/** Each step asserts that those before it are done: the values are there. */
export const accountOf = (context: RunContext<unknown>, onboarding: AtStep): Account => ({
  phoneNumberId: onboarding.phone_number_id!,
  accountId: onboarding.account_id!,
  accessToken: context.secrets.open(onboarding.access_token!),
});
