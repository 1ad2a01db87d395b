import { setTimeout as sleep } from 'node:timers/promises';
import Joi from 'joi';
import { changePassword } from '../../src/accounts/change-password.ts';
import { confirmReset, requestReset } from '../../src/accounts/password-reset.ts';
import { type Deps, endpoint, ok } from '../http/endpoint.ts';
import { email, exampleToken, exampleUser, messageOf, newPassword, oneTimeToken, tag } from './schemas.ts';

const partsOf = ({ database, ledger, passwords, loginLimits, secrets }: Deps) => ({
  database,
  transact: ledger.transact,
  passwords,
  limits: loginLimits,
  secrets,
});

const changed = 'The password is changed';

type ChangeBody = { current_password: string; new_password: string };

export const changeMyPassword = endpoint({
  method: 'post',
  path: '/v1/auth/me/password',
  operationId: 'auth.me.password',
  tag,
  scope: 'account',
  summary: 'Change your password',
  description: 'Ends your other sessions and the bearer tokens made in them.',
  body: Joi.object<ChangeBody, true>({ current_password: Joi.string().max(1000).required(), new_password: newPassword }),
  responses: { 200: messageOf(changed) },
  example: {
    body: { current_password: 'correct horse battery', new_password: 'a better staple for it' },
  },
  async handler({ body, caller, from }, deps) {
    await changePassword(partsOf(deps), caller, body, from);
    deps.authenticate.forget(caller.userId!);
    return ok({ message: changed });
  },
});

const mailed = 'If there is an account of this email, a link is on its way to it';
/** Longer than the work for a known email, so that the time does not show whether the email has an account. */
const evenMs = 100;

export const askForReset = endpoint({
  method: 'post',
  path: '/v1/auth/password-reset',
  operationId: 'auth.password-reset.request',
  tag,
  scope: 'public',
  summary: 'Ask for a link to set a new password',
  description: 'The link holds for an hour and for one use. The reply is the same whether there is such an account or not.',
  body: Joi.object<{ email: string }>({ email: email.required() }),
  responses: { 200: messageOf(mailed) },
  example: { body: { email: exampleUser.email } },
  async handler({ body, from }, deps) {
    await Promise.all([requestReset(partsOf(deps), body.email, from), sleep(evenMs)]);
    return ok({ message: mailed });
  },
});

type ConfirmBody = { token: string; new_password: string };

export const resetPassword = endpoint({
  method: 'post',
  path: '/v1/auth/password-reset/confirm',
  operationId: 'auth.password-reset.confirm',
  tag,
  scope: 'public',
  summary: 'Set a new password by the link of a mail',
  description: 'Ends all sessions of the user and the bearer tokens made in them. Then log in.',
  body: Joi.object<ConfirmBody, true>({ token: oneTimeToken, new_password: newPassword }),
  responses: { 200: messageOf(changed) },
  example: {
    body: { token: exampleToken, new_password: 'a better staple for it' },
  },
  async handler({ body, from }, deps) {
    deps.authenticate.forget(await confirmReset(partsOf(deps), body, from));
    return ok({ message: changed });
  },
});
