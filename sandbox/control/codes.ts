import Joi from 'joi';
import type { State } from '../state.ts';
import { ControlError, check } from './check.ts';

const codeSchema = Joi.object<{ phone_number_id: string; code?: string; ttl_ms: number }>({
  phone_number_id: Joi.string().required(),
  code: Joi.string().max(2048),
  ttl_ms: Joi.number().integer().min(0).max(86_400_000).default(600_000),
});

/** The owner of a number has gone through the signup. */
export function giveCode(state: State, body: unknown): object {
  const { phone_number_id, code, ttl_ms } = check(codeSchema, body);
  const account = state.accounts.ofNumber(phone_number_id);
  if (!account) throw new ControlError(422, `"phone_number_id" ${phone_number_id} is not a number of this sandbox`);
  return { code: state.codes.give(account, ttl_ms, code), phone_number_id, waba_id: account.waba_id };
}
