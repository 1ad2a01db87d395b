import Joi from 'joi';
import type { State } from '../state.ts';
import { check } from './check.ts';

const whose = Joi.object<{ account?: string }>({
  account: Joi.string().description('Of whom; without one: of all'),
});
const serviceAccount = Joi.object<{ client_email: string; public_key: string }>({
  client_email: Joi.string().required(),
  public_key: Joi.string().required(),
});

export const tokensOf = (state: State): object => ({ issued: state.tokens.issued });

export const expireTokens = (state: State, body: unknown): object => ({
  expired: state.tokens.expire(check(whose, body ?? {}).account),
});

export const revokeTokens = (state: State, body: unknown): object => ({
  revoked: state.tokens.revoke(check(whose, body ?? {}).account),
});

export function addServiceAccount(state: State, body: unknown): object {
  const { client_email, public_key } = check(serviceAccount, body);
  state.tokens.addServiceAccount(client_email, public_key);
  return { client_email };
}
