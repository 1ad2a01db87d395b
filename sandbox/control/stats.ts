import type { State } from '../state.ts';

export function statsOf({ accounts, accepted, webhooks }: State): object {
  const numbers = accounts
    .all()
    .map(({ phone_number_id }) => [
      phone_number_id,
      { ...accepted.tallyOf(phone_number_id), pending_webhooks: webhooks.pendingOf(phone_number_id) },
    ]);
  return {
    numbers: Object.fromEntries(numbers),
    pending_webhooks: webhooks.pendingTotal(),
    delivered_webhooks: webhooks.delivered,
    given_up_webhooks: webhooks.givenUp,
  };
}
