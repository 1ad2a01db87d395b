import type { Account } from '../accounts.ts';
import type { FaultKind } from '../faults.ts';
import { webhookErrorOf } from '../graph/errors.ts';
import type { Outgoing } from '../messages/outgoing.ts';
import type { State } from '../state.ts';
import { envelope, unixSeconds } from './envelope.ts';

export interface Announcement {
  account: Account;
  id: string;
  outgoing: Outgoing;
  /** The error the message fails with once it was accepted. */
  failure: number | null;
  faults: Set<FaultKind>;
}

/** Plans the status webhooks of an accepted message. */
export function announce(state: State, announcement: Announcement): void {
  const { account, faults } = announcement;
  const { auto_status, delay_ms } = state.behaviour;
  if (faults.has('drop_webhooks')) return;
  let steps = announcement.failure === null ? auto_status : ['failed'];
  if (faults.has('skip_delivered')) steps = steps.filter((step) => step !== 'delivered');
  if (faults.has('reorder_webhooks')) steps = steps.toReversed();
  if (steps.length === 0) return;
  const groups = faults.has('batch_webhooks') ? [steps] : steps.map((step) => [step]);
  const copies = faults.has('duplicate_webhook') ? 2 : 1;
  for (const [position, group] of groups.entries()) {
    for (let copy = 0; copy < copies; copy += 1) {
      state.webhooks.schedule(account.phone_number_id, delay_ms * (position + 1), () =>
        statusWebhook(state, announcement, group),
      );
    }
  }
}

function statusWebhook(state: State, announcement: Announcement, steps: string[]): object {
  const { account, outgoing } = announcement;
  const user = state.windows.userOf(account.phone_number_id, outgoing.user) ?? {};
  const contact = outgoing.waId === null ? { user_id: outgoing.user } : { ...user, wa_id: outgoing.waId };
  const hasFailed = steps.includes('failed');
  return envelope(account, {
    ...(hasFailed ? {} : { contacts: [contact] }),
    statuses: steps.map((step) => statusOf(announcement, step, state.behaviour.fail_code, hasFailed ? {} : user)),
  });
}

function statusOf(announcement: Announcement, status: string, failCode: number, user: { user_id?: string | undefined }): object {
  const { id, outgoing } = announcement;
  const userId = outgoing.waId === null ? outgoing.user : user.user_id;
  return {
    id,
    status,
    timestamp: unixSeconds(),
    ...(outgoing.waId === null ? {} : { recipient_id: outgoing.waId }),
    ...(userId === undefined ? {} : { recipient_user_id: userId }),
    ...(outgoing.callbackData === null ? {} : { biz_opaque_callback_data: outgoing.callbackData }),
    ...(status === 'failed'
      ? { errors: [webhookErrorOf(announcement.failure ?? failCode)] }
      : { pricing: pricingOf(outgoing.category) }),
  };
}

function pricingOf(category: string): object {
  const isService = category === 'service';
  return { billable: !isService, pricing_model: 'PMP', type: isService ? 'free_customer_service' : 'regular', category };
}
