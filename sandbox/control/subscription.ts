import { randomInt } from 'node:crypto';
import Joi from 'joi';
import { request } from 'undici';
import type { State, Subscription } from '../state.ts';
import { ControlError, check } from './check.ts';

const subscriptionSchema = Joi.object<Partial<Subscription> & { verify?: boolean }>({
  webhook_url: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .allow(null),
  app_secret: Joi.string(),
  verify_token: Joi.string(),
  verify: Joi.boolean().description('Ask the receiver for its challenge first, and change nothing when it fails'),
});

export async function subscribe(state: State, body: unknown): Promise<Subscription> {
  const { verify, ...changes } = check(subscriptionSchema, body);
  const wanted = { ...state.subscription, ...changes };
  if (verify) await challenge(wanted);
  return Object.assign(state.subscription, changes);
}

/** The handshake of the provider: a receiver that knows the token repeats the number it is given. */
async function challenge({ webhook_url, verify_token }: Subscription): Promise<void> {
  if (webhook_url === null) throw new ControlError(422, 'there is no webhook_url to verify');
  const number = String(randomInt(1_000_000_000));
  const url = new URL(webhook_url);
  url.searchParams.set('hub.mode', 'subscribe');
  url.searchParams.set('hub.challenge', number);
  url.searchParams.set('hub.verify_token', verify_token);
  const answer = await request(url, { headersTimeout: 10_000, reset: true })
    .then(async ({ statusCode, body }) => ({ statusCode, text: await body.text() }))
    .catch((error: Error) => ({ statusCode: null, text: error.message }));
  if (answer.statusCode === 200 && answer.text === number) return;
  throw new ControlError(
    422,
    `the receiver did not repeat the challenge: ${answer.statusCode ?? ''} ${answer.text.slice(0, 200)}`.trim(),
  );
}
