import type { State } from '../state.ts';

export function statsOf({ accounts, accepted, callbacks, flows, webhooks }: State): object {
  const numbers = accounts
    .all()
    .map(({ phone_number_id }) => [
      phone_number_id,
      { ...accepted.tallyOf(phone_number_id), pending_webhooks: webhooks.pendingOf(phone_number_id) },
    ]);
  const businesses = [...new Set(accounts.all().map(({ waba_id }) => waba_id))];
  return {
    numbers: Object.fromEntries(numbers),
    accounts: Object.fromEntries(businesses.map((id) => [id, { flow_calls: flows.calls.of(id) }])),
    pending_webhooks: webhooks.pendingTotal() + callbacks.pending,
    delivered_webhooks: webhooks.delivered + callbacks.delivered,
    given_up_webhooks: webhooks.givenUp + callbacks.givenUp,
  };
}
