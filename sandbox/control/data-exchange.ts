import Joi from 'joi';
import { request } from 'undici';
import { seal, unseal } from '../flows/phone.ts';
import type { State } from '../state.ts';
import { sign } from '../webhooks/encode.ts';
import { ControlError, check } from './check.ts';

interface Exchange {
  message_id?: string;
  phone_number_id?: string;
  url?: string;
  action: string;
  screen?: string;
  data?: object;
  flow_token?: string;
  signature: 'good' | 'bad' | 'none';
  public_key?: string;
}

const exchangeSchema = Joi.object<Exchange>({
  message_id: Joi.string().description('The message whose flow is open: it tells the number, the token and the endpoint'),
  phone_number_id: Joi.string().description('The number whose key is used, where no message tells it'),
  url: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .description("The endpoint; else the flow's own"),
  action: Joi.string().valid('ping', 'INIT', 'BACK', 'data_exchange').required(),
  screen: Joi.string(),
  data: Joi.object().unknown(),
  flow_token: Joi.string(),
  signature: Joi.string().valid('good', 'bad', 'none').default('good'),
  public_key: Joi.string().description('PEM; else the key of the number. With another the endpoint cannot read the request'),
}).or('message_id', 'phone_number_id');

const patienceMs = 10_000;

/** A phone asks the endpoint of a flow, encrypted as the provider's. */
export async function exchangeData(state: State, body: unknown): Promise<object> {
  const { message_id, phone_number_id, url: given, signature, public_key, ...asked } = check(exchangeSchema, body);
  const sent = message_id === undefined ? undefined : state.flows.sent.get(message_id);
  const account = state.accounts.ofNumber(sent?.phoneNumberId ?? phone_number_id ?? '');
  if (!account) throw new ControlError(422, 'neither a message that opens a flow nor a number of this sandbox is given');
  const publicKey = public_key ?? state.numbers.of(account.phone_number_id).publicKey;
  if (publicKey === null) throw new ControlError(422, 'the number has no public key');
  const url = given ?? state.flows.get(sent?.flowId ?? '')?.endpointUri;
  if (!url) throw new ControlError(422, 'there is no endpoint: give "url"');
  const token = sent?.token ?? undefined;
  const sealed = seal(publicKey, { version: '3.0', ...(token !== undefined && { flow_token: token }), ...asked });
  const bytes = Buffer.from(JSON.stringify(sealed.body));
  const secret = state.subscription.app_secret;
  const signed = { good: sign(secret, bytes), bad: sign(`not ${secret}`, bytes), none: undefined }[signature];
  const started = performance.now();
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(signed !== undefined && { 'x-hub-signature-256': signed }) },
    body: bytes,
    headersTimeout: patienceMs,
    bodyTimeout: patienceMs,
  })
    .then(async (reply) => ({ status: reply.statusCode, text: await reply.body.text() }))
    .catch((error: Error) => ({ status: null, text: error.message }));
  return { status: answer.status, ms: Math.round(performance.now() - started), ...read(answer, sealed) };
}

/** What the phone understands of the reply; else the text as it came. */
function read({ status, text }: { status: number | null; text: string }, keys: Parameters<typeof unseal>[1]): object {
  if (status !== 200) return { text: text.slice(0, 1_000) };
  try {
    return { response: unseal(text, keys) };
  } catch (error) {
    return { text: text.slice(0, 1_000), error: `The reply cannot be decrypted: ${(error as Error).message}` };
  }
}
