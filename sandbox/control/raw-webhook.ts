import Joi from 'joi';
import type { State } from '../state.ts';
import { sign } from '../webhooks/encode.ts';
import { ControlError, check } from './check.ts';

const signatureSchema = Joi.string().valid('good', 'bad', 'none').default('good').label('signature') as Joi.StringSchema<
  'good' | 'bad' | 'none'
>;

/** Sends these very bytes. A rejected one with a valid signature is sent again; one meant to be refused is not. */
export async function sendRawWebhook(state: State, body: unknown, wantedSignature: unknown): Promise<object> {
  const choice = check(signatureSchema.optional(), wantedSignature ?? 'good');
  if (!Buffer.isBuffer(body) || body.length === 0) throw new ControlError(422, 'the body to send is missing');
  if (state.subscription.webhook_url === null) throw new ControlError(422, 'there is no webhook_url to send to');
  const secret = state.subscription.app_secret;
  const signature = { good: sign(secret, body), bad: sign(`not ${secret}`, body), none: undefined }[choice];
  const status = await state.webhooks.sendOnce(body, signature);
  if (status !== 200 && choice === 'good') state.webhooks.push('', body);
  return { delivered: status === 200, status };
}
