import Joi from 'joi';
import { act, settleRefund } from '../payments/acts.ts';
import type { Act, PayRefund, PaySession, PayWebhook } from '../payments/store.ts';
import type { State } from '../state.ts';
import { ControlError, check } from './check.ts';

interface Account {
  secret_key: string;
  is_revoked?: boolean;
  webhook?: PayWebhook | null;
}

const accountSchema = Joi.object<Account>({
  secret_key: Joi.string().required(),
  is_revoked: Joi.boolean().description('The key is refused from now on, or taken again'),
  webhook: Joi.object({
    url: Joi.string()
      .uri({ scheme: ['http', 'https'] })
      .required(),
    secret: Joi.string().required(),
  })
    .allow(null)
    .description("Where the account's webhooks go; Stripe signs with the secret, Xendit sends it along"),
});

/** What the merchant sets in the provider's own pages. */
export function setPaymentAccount(state: State, body: unknown): object {
  const { secret_key, is_revoked, webhook } = check(accountSchema, body);
  if (is_revoked !== undefined) state.payments.setRevoked(secret_key, is_revoked);
  if (webhook !== undefined) state.payments.setWebhook(secret_key, webhook);
  return { webhook: state.payments.webhookOf(secret_key) ?? null };
}

const shown = ({ key: _key, ...session }: PaySession) => session;

export function listPayments(state: State): object {
  const sessions = [...state.payments.sessions.keys()].map((id) => shown(state.payments.find(id)!));
  const refunds = [...state.payments.refunds.values()].map(({ key: _key, ...refund }) => refund);
  return { sessions, refunds };
}

const actSchema = Joi.object<{ amount?: number }>({
  amount: Joi.number().positive().description("In the provider's units: another than was asked for"),
}).default({});

/** `id`: the provider's or the merchant's reference. */
export function actOnSession(state: State, id: string, what: Act, body: unknown): object {
  const session = state.payments.named(id);
  if (!session) throw new ControlError(404, `there is no session ${id}`);
  const { amount } = check(actSchema, body ?? {});
  const cause = { method: 'POST', originalUrl: `/_control/payments/${id}/${what}` };
  if (!act(state, session, what, cause, amount)) throw new ControlError(409, `the session is ${session.status}`);
  return shown(session);
}

const refundSchema = Joi.object<{ status: PayRefund['status'] }>({
  status: Joi.string().valid('pending', 'succeeded', 'failed').required(),
});

export function moveRefund(state: State, id: string, body: unknown): object {
  const refund = state.payments.refunds.get(id);
  if (!refund) throw new ControlError(404, `there is no refund ${id}`);
  settleRefund(state, refund, check(refundSchema, body).status, { method: 'POST', originalUrl: `/_control/refunds/${id}` });
  return { id, status: refund.status };
}
