import { uuidv7 } from '../../platform/ids.ts';
import { parseJson } from '../../platform/parse-json.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { now } from '../../platform/time/clock.ts';
import { openHeaders } from '../../webhooks/endpoints.ts';
import type { SendErrorClass, WebhookRequest, WebhookSender } from '../../webhooks/sender.ts';
import { sign } from '../../webhooks/signature.ts';
import type { ExchangeRequest } from './crypto.ts';
import type { OpenedFlow } from './find.ts';
import { type ExchangeOutcome, NotExchanged } from './outcomes.ts';

/** `isOver`: the endpoint answered 427, the form cannot be used any more. */
export type EndpointReply = { isOver: boolean; reply: Record<string, unknown> };

type Of = { organizationId: string; opened: OpenedFlow };

/** What the endpoint gets: the provider's fields as they are, with the client's own token, and beside them what Kanal knows. */
export const forwardedBody = ({ version, action, screen, data }: ExchangeRequest, { organizationId, opened }: Of) => ({
  version,
  action,
  screen,
  data,
  flow_token: opened.client_token ?? '',
  flow: { id: opened.flow_id, name: opened.flow_name, provider_flow_id: opened.provider_flow_id },
  message: { id: opened.message_id, created_at: new Date(opened.message_at).toISOString() },
  contact: { id: opened.contact_id, name: opened.contact_name, phone_number: opened.contact_phone },
  conversation: { id: opened.conversation_id },
  channel_id: opened.channel_id,
  organization_id: organizationId,
});

/** Signed as webhooks are (Standard Webhooks), each request with an id of its own. */
export function forwardRequest(request: ExchangeRequest, of: Of, secrets: Pick<Secrets, 'open'>): WebhookRequest {
  const { data_exchange_url: url, data_exchange_headers, secret, previous_secret } = of.opened;
  const body = JSON.stringify(forwardedBody(request, of));
  const [id, timestamp] = [uuidv7(), Math.floor(now() / 1000)];
  const signing = [secret, previous_secret].filter((sealed) => sealed !== null).map((sealed) => secrets.open(sealed));
  return {
    url: url!,
    headers: {
      ...openHeaders(secrets, data_exchange_headers),
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign({ id, timestamp, body, secrets: signing }),
    },
    body,
  };
}

const outcomeOf: Record<SendErrorClass, ExchangeOutcome> = {
  ssrf: 'address',
  dns: 'connection',
  connect: 'connection',
  tls: 'connection',
  timeout: 'timeout',
  http: 'answer',
};
const overStatus = 427;

/** Throws NotExchanged. */
export async function askEndpoint(sender: WebhookSender, request: WebhookRequest, flowId: string): Promise<EndpointReply> {
  const { ok, status, errorClass, error, body } = await sender.send(request);
  const isOver = status === overStatus;
  if (!ok && !isOver)
    throw new NotExchanged(status === undefined ? outcomeOf[errorClass ?? 'http'] : 'status', error ?? 'no answer', flowId);
  const reply = objectIn(body);
  if (isOver) return { isOver, reply: wordsIn(reply) };
  if (!reply) throw new NotExchanged('answer', 'the answer is no JSON object', flowId);
  return { isOver, reply };
}

/** Each value and each level of nesting takes the web process time: whoever answers chooses them. */
const maxAnswerValues = 20_000;

function objectIn(body: Buffer | undefined): Record<string, unknown> | undefined {
  try {
    const value = body && body.length > 0 ? parseJson(body, maxAnswerValues) : undefined;
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Without the words the phone says it in its own language. */
const wordsIn = (reply: Record<string, unknown> | undefined) =>
  typeof reply?.error_msg === 'string' ? { error_msg: reply.error_msg } : {};

/** The last answer says what the chat gets, under a token: it must be the one that only we can make, so that the answer finds its message. */
export function withWireToken(reply: Record<string, unknown>, token: string): Record<string, unknown> {
  const data = objectOf(reply.data);
  const message = objectOf(data?.extension_message_response);
  if (!data || !message) return reply;
  const params = { ...objectOf(message.params), flow_token: token };
  return { ...reply, data: { ...data, extension_message_response: { ...message, params } } };
}

const objectOf = (value: unknown) =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
