import { statement } from '../platform/database/statement.ts';
import { AppError, invalidField, notFound } from '../platform/errors.ts';
import { isUuid } from '../platform/ids.ts';
import { Job } from '../platform/ledger/jobs.entity.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { changeOnboarding, onboardingLane, type Progress } from './change.ts';
import { stepJobs } from './jobs.ts';
import { Onboarding, type WorkStep, workSteps } from './onboarding.entity.ts';

export type StepRequest =
  | { step: 'exchange_token'; code: string }
  | { step: 'subscribe_webhook'; accountId: string; phoneNumberId: string }
  | { step: 'register_phone'; pin: string }
  | { step: 'sync_assets' };

const liveJob = statement((select, { id, name }: { id: string; name: string }) =>
  select(Job)
    .select('id')
    .where('subject_id', '=', id)
    .where('name', '=', name)
    .where('state', 'in', ['blocked', 'waiting', 'queued']),
);

/**
 * Needs the lane. Asked again while it is at work, it is the same operation; when it is done with the same values, none. Throws 404, and
 * 422 when a step before it is not done or another is at work.
 */
export async function askForStep(
  own: OwnTx,
  id: string,
  request: StepRequest,
  secrets: Secrets,
): Promise<{ onboarding: Progress; operationId?: string }> {
  own.assertLocked(onboardingLane(id));
  const onboarding = isUuid(id) ? await own.findOne(Onboarding, { id }) : undefined;
  if (!onboarding) throw notFound('Onboarding');
  const { step } = request;
  const given = valuesOf(request, secrets);
  if (onboarding.step_status === 'in_progress') {
    const running = onboarding.current_step;
    if (running !== step || !isAsBefore(onboarding, request, secrets)) throw notReady(`${running} is at work: wait for its end`);
    const [live] = await liveJob(own, { id, name: stepJobs[step].name });
    if (live) return { onboarding, operationId: live.id };
  } else if (onboarding.completed_steps.includes(step) && isAsBefore(onboarding, request, secrets)) {
    return { onboarding };
  }
  assertInTurn(onboarding, step);
  await changeOnboarding(own, onboarding, {
    ...given,
    current_step: step,
    step_status: 'in_progress',
    completed_steps: before(step),
    error: null,
  });
  return { onboarding, operationId: own.enqueue(stepJobs[step], { onboarding_id: id }, { lane: onboardingLane(id) }) };
}

const before = (step: WorkStep) => workSteps.slice(0, workSteps.indexOf(step));

const notReady = (message: string) => new AppError('step_not_ready', message);

function assertInTurn({ current_step, completed_steps }: Progress, step: WorkStep) {
  if (current_step === 'completed') throw notReady('The onboarding is completed: start another one');
  const missing = before(step).find((one) => !completed_steps.includes(one));
  if (missing) throw notReady(`${missing} comes first`);
}

const hashOf = (code: string, secrets: Secrets) => secrets.hash(code).toString('base64url');

/** What the step works with, as it is stored. Throws 422 for what is no id of the provider. */
function valuesOf(request: StepRequest, secrets: Secrets): Partial<Progress> {
  switch (request.step) {
    case 'exchange_token':
      return { code: secrets.seal(request.code), code_hash: hashOf(request.code, secrets) };
    case 'subscribe_webhook':
      assertProviderId('phone_number_id', request.phoneNumberId);
      assertProviderId('waba_id', request.accountId);
      return { account_id: request.accountId, phone_number_id: request.phoneNumberId, channel_id: null };
    case 'register_phone':
      return { pin: secrets.seal(request.pin) };
    default:
      return {};
  }
}

/** It becomes a part of an address at the provider. */
function assertProviderId(field: string, text: string) {
  if (!/^\d{1,32}$/.test(text)) throw invalidField(field, `${field} must be 1 to 32 digits`, 'digits');
}

function isAsBefore({ code_hash, account_id, phone_number_id, pin }: Progress, request: StepRequest, secrets: Secrets): boolean {
  switch (request.step) {
    case 'exchange_token':
      return code_hash === hashOf(request.code, secrets);
    case 'subscribe_webhook':
      return account_id === request.accountId && phone_number_id === request.phoneNumberId;
    case 'register_phone':
      // Once the number is registered the PIN is deleted.
      return pin === null || secrets.open(pin) === request.pin;
    default:
      return true;
  }
}
