import Joi from 'joi';
import type { ConnectionKind } from '../../src/connections/connection.entity.ts';
import { inboundHeaders, inboundOf, seemsProven } from '../../src/connections/signed.ts';
import { acceptConnectionWebhook, receiverOf } from '../../src/connections/webhooks.ts';
import { AppError, notFound } from '../../src/platform/errors.ts';
import { parseJson } from '../../src/platform/parse-json.ts';
import { takeOne } from '../../src/platform/rate-limits/quota.ts';
import { type Deps, endpoint, type Input, ok } from '../http/endpoint.ts';
import { view } from '../http/view.ts';

const maxBytes = 256 * 1024;
const maxValues = 20_000;
/** A provider's bodies are smaller. What is stored is bounded with their number: a larger one counts once for each of these. */
const bytesOfOne = 16 * 1024;

const wrongSignature = () => new AppError('unauthorized', 'The signature is not right');

const receive = (kind: ConnectionKind) => async (input: Input<Buffer, unknown>, deps: Deps) => {
  const { body, params, header, from } = input;
  const id = params.connectionID!;
  const lookUp = await deps.limits.lookUps.begin(from.address, id);
  const receiver = await receiverOf(deps.database, id, kind, deps.secrets);
  if (!receiver) throw notFound('Connection');
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  // What a provider sends to try the address is not signed, so it costs the client's address.
  if (bytes.length === 0) {
    await lookUp.wrong();
    return ok({});
  }
  const inbound = inboundOf[receiver.provider];
  const headers = Object.fromEntries(inboundHeaders.map((name) => [name, header(name)]));
  if (!receiver.secret || !inbound?.isSigned(headers, bytes, receiver.secret, Date.now())) {
    await lookUp.wrong();
    throw wrongSignature();
  }
  lookUp.right();
  // After the signature, so that only the provider uses it up. It repeats refused calls.
  const { connection } = deps.limits;
  const key = `connection:${id}`;
  await takeOne(connection, key, 'Too many webhooks for this connection');
  // What is left may be too little for a large one: it passes, and the next one does not.
  for (let counted = bytesOfOne; counted < bytes.length; counted += bytesOfOne) await connection?.take(key);
  const externalId = inbound.idOf(headers, parseJson(bytes, maxValues));
  const arrived = { organizationId: receiver.organization_id, connectionId: id, externalId, body: bytes };
  await deps.database.onBehalfOf(receiver.organization_id, () => acceptConnectionWebhook(deps.ledger.transact, arrived));
  return ok({});
};

const receiving = {
  method: 'post',
  tag: 'Provider webhooks',
  scope: 'public',
  isUnlimited: true,
  query: Joi.object<Record<string, unknown>>().unknown(),
  params: { connectionID: Joi.string() },
  rawBodyBytes: maxBytes,
  // An empty one, with a Content-Length of 0 or none, tries the address.
  beforeBody(header: (name: string) => string | undefined) {
    const isEmpty = header('transfer-encoding') === undefined && Number(header('content-length') ?? 0) === 0;
    if (!isEmpty && !seemsProven(header)) throw wrongSignature();
  },
  responses: { 200: view(Joi.object({}), {}) },
  errors: [401, 429],
} as const;

export const receivePaymentWebhook = endpoint({
  ...receiving,
  path: '/v1/providers/payments/:connectionID/webhook',
  operationId: 'provider-webhooks.payments',
  summary: "Receive a payment provider's webhooks",
  description:
    'The address is `webhook_url` of the connection. The signature is checked with its `webhook_secret`; nothing else of the body is believed: session, payment and refund are read at the provider. An empty body (Content-Length 0) is a 200.',
  example: {
    body: { event: 'payment_session.completed', data: { payment_session_id: 'ps-6650f1f4a1b2c3d4e5f60718', reference_id: 'r1' } },
  },
  handler: receive('payment'),
});

export const receiveShippingWebhook = endpoint({
  ...receiving,
  path: '/v1/providers/shipping/:connectionID/webhook',
  operationId: 'provider-webhooks.shipping',
  summary: "Receive a shipper's webhooks",
  description:
    'The address is `webhook_url` of the connection; the header `x-webhook-secret` must have its `webhook_secret`. The shipment is read at the shipper before anything is believed. An empty body (Content-Length 0) is a 200.',
  example: { body: { event: 'order.status', order_id: '6650f1f4a1b2c3d4e5f60718', status: 'picked' } },
  handler: receive('shipper'),
});
