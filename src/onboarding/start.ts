import { uuidv7 } from '../platform/ids.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { type Progress, tellUpdated } from './change.ts';
import { Onboarding } from './onboarding.entity.ts';

/** `name` and `rate` of the channel it ends with. */
export async function startOnboarding(own: OwnTx, { name, rate }: { name?: string; rate: number }): Promise<Progress> {
  const id = uuidv7();
  await own.lockNew('onboarding', id);
  const onboarding = own.create(Onboarding, {
    id,
    channel_id: null,
    account_id: null,
    phone_number_id: null,
    current_step: 'exchange_token',
    step_status: 'pending',
    completed_steps: [],
    error: null,
    channel_name: name ?? null,
    rate,
    code: null,
    code_hash: null,
    access_token: null,
    pin: null,
  });
  // The reply shows the database's times.
  await own.flush();
  tellUpdated(own, onboarding);
  return onboarding;
}
