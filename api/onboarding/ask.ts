import { askForStep, type StepRequest } from '../../src/onboarding/ask.ts';
import { onboardingLane } from '../../src/onboarding/change.ts';
import { readOnboarding } from '../../src/onboarding/queries.ts';
import { type Deps, type Input, ok, type Reply } from '../http/endpoint.ts';
import { toView } from './schemas.ts';

/** The audit log names the onboarding whether it came in the path or in the body. */
export const ask = ({ write }: Pick<Input<unknown, unknown>, 'write'>, { secrets }: Deps, id: string, request: StepRequest) =>
  write({ locks: [onboardingLane(id)] }, async ({ own }): Promise<Reply> => {
    const { onboarding, operationId } = await askForStep(own, id, request, secrets);
    return { ...ok(toView(onboarding)), operationId };
  });

export const asItStands = async ({ own }: Pick<Input<unknown, unknown>, 'own'>, id: string) =>
  ok(toView(await readOnboarding(own, id)));
