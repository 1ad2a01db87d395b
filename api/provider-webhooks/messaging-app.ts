import Joi from 'joi';
import { type ChannelApp, channelApp } from '../../src/channels/app.ts';
import type { Em } from '../../src/platform/database/database.ts';
import { AppError, notFound } from '../../src/platform/errors.ts';
import { takeOne } from '../../src/platform/rate-limits/quota.ts';
import { equalsInConstantTime } from '../../src/platform/secrets.ts';
import { acceptProviderWebhook } from '../../src/provider-webhooks/accept.ts';
import { readBody } from '../../src/provider-webhooks/read-body.ts';
import { isSignedWith, looksSigned } from '../../src/provider-webhooks/signature.ts';
import { changesOf } from '../../src/providers/messaging-app/inbound.ts';
import { type Deps, endpoint, type From, type Input, ok } from '../http/endpoint.ts';
import { view } from '../http/view.ts';

const tag = 'Provider webhooks';
const maxBytes = 4 * 1024 * 1024;
const base = '/v1/providers/messaging-app/webhook';
const signatureHeader = 'x-hub-signature-256';

type Handshake = { 'hub.mode'?: string; 'hub.challenge'?: string; 'hub.verify_token'?: string };
const handshakeQuery = Joi.object<Handshake>({
  'hub.mode': Joi.string().max(1024),
  'hub.challenge': Joi.string().max(1024),
  'hub.verify_token': Joi.string().max(1024),
}).unknown();
const challenge = view(Joi.string(), '1158201444');

type App = Partial<ChannelApp> & { channelId?: string };

/** The installation's own app, or that of one channel. Throws 404. */
async function appOf(em: Em, { config, secrets }: Deps, channelId?: string): Promise<App> {
  if (channelId === undefined) return { secret: config.messagingAppSecret, verifyToken: config.messagingAppVerifyToken };
  const app = await channelApp(em, channelId, secrets);
  if (!app) throw notFound('Channel');
  return { channelId, ...app };
}

/** Charges a channel's look-up to the client's address, unless the provider signed. The installation's app needs none. */
const beginLookUp = (deps: Deps, { address }: From, channelId?: string) => deps.limits.lookUps.begin(address, channelId);

async function handshake({ query: given, params, em, from }: Input<unknown, Handshake>, deps: Deps) {
  const lookUp = await beginLookUp(deps, from, params.channelID);
  const { verifyToken } = await appOf(em, deps, params.channelID);
  const isRight =
    given['hub.mode'] === 'subscribe' && verifyToken && equalsInConstantTime(given['hub.verify_token'] ?? '', verifyToken);
  if (!isRight) {
    await lookUp.wrong();
    throw new AppError('forbidden', 'The verify token is not right');
  }
  lookUp.right();
  return ok(given['hub.challenge'] ?? '');
}

async function receive({ body, params, em, header, log, from }: Input<Buffer, unknown>, deps: Deps) {
  const lookUp = await beginLookUp(deps, from, params.channelID);
  const { secret, channelId, organizationId } = await appOf(em, deps, params.channelID);
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  if (!secret || !isSignedWith(secret, bytes, header(signatureHeader))) {
    await lookUp.wrong();
    throw wrongSignature();
  }
  lookUp.right();
  // After the signature, so that only the provider uses it up. It repeats refused calls.
  if (channelId) await takeOne(deps.limits.channel, `channel:${channelId}`, 'Too many webhooks for this channel');
  const maxParts = deps.config.providerWebhookMaxParts;
  // One more than is applied: it marks the body as broken and shows that there were more.
  const changes = readChanges(bytes, maxParts);
  if (changes.length > maxParts) log.warn({ most: maxParts }, 'provider webhook: more changes than are kept');
  const accept = () => acceptProviderWebhook(em, deps.ledger.transact, changes, channelId);
  // A channel with its own app uses its organization's share of connections, so that other tenants keep theirs.
  const { kept, unknown, toCome } = await (organizationId ? deps.database.onBehalfOf(organizationId, accept) : accept());
  if (unknown > 0) log.warn({ unknown, kept }, 'provider webhook: changes for unknown numbers');
  if (toCome > 0) {
    log.info({ to_come: toCome, kept }, 'provider webhook: changes for numbers that are being onboarded');
    throw new AppError('conflict', 'The number is being onboarded: repeat this later', { retryAfterSeconds });
  }
  return ok({});
}

/** The provider decides when it repeats a refused call. No 5xx: nothing is out of order here, and it would count as a fault. */
const retryAfterSeconds = 60;

const wrongSignature = () => new AppError('unauthorized', 'The signature is not right');

function readChanges(bytes: Buffer, maxParts: number) {
  try {
    return changesOf(readBody(bytes, maxParts), maxParts + 1);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('bad_request', 'The body is not a webhook of the messaging app');
  }
}

const challengeExample = {
  query: { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': '<verify token>' },
};
const bodyExample = {
  body: {
    entry: [
      {
        id: '200000000000001',
        changes: [
          {
            field: 'messages',
            value: {
              metadata: { display_phone_number: '15550100001', phone_number_id: '100000000000001' },
              statuses: [
                {
                  id: 'wamid.HBgLMTY1MDU1NTEyMzQVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA',
                  status: 'delivered',
                  timestamp: '1795255202',
                  recipient_id: '16505551234',
                },
              ],
            },
          },
        ],
      },
    ],
  },
};

const verifying = {
  method: 'get',
  tag,
  scope: 'public',
  isUnlimited: true,
  query: handshakeQuery,
  responses: { 200: challenge },
  errors: [403, 429],
  example: challengeExample,
  handler: handshake,
} as const;
const receiving = {
  method: 'post',
  tag,
  scope: 'public',
  isUnlimited: true,
  query: Joi.object<Record<string, unknown>>().unknown(),
  rawBodyBytes: maxBytes,
  beforeBody: (header: (name: string) => string | undefined) => {
    if (!looksSigned(header(signatureHeader))) throw wrongSignature();
  },
  responses: { 200: view(Joi.object({}), {}) },
  errors: [401, 429],
  example: bodyExample,
  handler: receive,
} as const;

export const verifyWebhook = endpoint({
  ...verifying,
  path: base,
  operationId: 'provider-webhooks.verify',
  summary: "The messaging provider's handshake",
});
export const receiveWebhook = endpoint({
  ...receiving,
  path: base,
  operationId: 'provider-webhooks.receive',
  summary: "Receive the messaging provider's webhooks",
});
export const verifyChannelWebhook = endpoint({
  ...verifying,
  path: `${base}/:channelID`,
  operationId: 'provider-webhooks.verify-channel',
  summary: "The handshake of a channel's own provider app",
  params: { channelID: Joi.string() },
});
export const receiveChannelWebhook = endpoint({
  ...receiving,
  path: `${base}/:channelID`,
  operationId: 'provider-webhooks.receive-channel',
  summary: "Receive the webhooks of a channel's own provider app",
  params: { channelID: Joi.string() },
});
