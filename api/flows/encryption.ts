import Joi from 'joi';
import { exchangeAddress } from '../../src/flows/exchange/address.ts';
import { newKeyPair } from '../../src/flows/exchange/crypto.ts';
import { type FlowEncryption, flowKeyLane, readFlowEncryption, requestRotation } from '../../src/flows/exchange/keys.ts';
import type { Config } from '../../src/platform/config/config.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id, iso, operationNote, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

const path = '/v1/channels/:channelID/flow-encryption';
const time = timestamp.allow(null).required();

const encryptionView = view(
  'flow_encryption',
  Joi.object({
    channel_id: id.required(),
    public_key: Joi.string()
      .allow(null)
      .required()
      .description('PEM, as the provider has it; null: none was uploaded yet, and phones cannot use flows that ask an endpoint'),
    is_rotating: Joi.boolean().required().description('Another key is on its way to the provider, or its upload failed'),
    uploaded_at: time,
    previous_expires_at: time.description('Until then requests under the key before are decrypted too; null: there is none'),
    endpoint_url: Joi.string()
      .allow(null)
      .required()
      .description('What the provider calls for flows of this channel; null: the setting PUBLIC_URL is missing'),
  }),
  {
    channel_id: exampleIds.channel,
    public_key: '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----\n',
    is_rotating: false,
    uploaded_at: exampleTime,
    previous_expires_at: null,
    endpoint_url: `https://api.example.com/v1/providers/messaging-app/flows/${exampleIds.channel}`,
  },
);

const at = (value: string | null) => value && iso(value);
const toView = (row: FlowEncryption, config: Config) => ({
  channel_id: row.channel_id,
  public_key: row.publicKey,
  is_rotating: row.isRotating,
  uploaded_at: at(row.uploadedAt),
  previous_expires_at: at(row.previousUntil),
  endpoint_url: exchangeAddress(config, row.channel_id) ?? null,
});

const about = { tag: 'Flows', subject: 'Channel' } as const;

export const getFlowEncryption = endpoint({
  ...about,
  method: 'get',
  path,
  operationId: 'channels.flow-encryption.get',
  scope: 'channels:read',
  summary: 'Get the key of a channel for flows that ask an endpoint',
  description: 'The private key never leaves Kanal.',
  responses: { 200: encryptionView },
  handler: async ({ params, own }, { config }) => ok(toView(await readFlowEncryption(own, params.channelID), config)),
});

export const rotateFlowEncryption = endpoint({
  ...about,
  method: 'post',
  path: `${path}/rotate`,
  operationId: 'channels.flow-encryption.rotate',
  scope: 'channels:write',
  audit: 'channel',
  summary: 'Give a channel a new key for flows',
  description: `The first one too. A job uploads it; then the key before decrypts for 24 hours more. While one is under way, it is named again. ${operationNote}`,
  isIdempotent: true,
  isOperation: true,
  responses: { 200: encryptionView },
  errors: [409],
  async handler({ params: { channelID: id }, own, write }, { config, secrets }) {
    const encryption = toView(await readFlowEncryption(own, id), config);
    const pair = await newKeyPair();
    return write({ locks: [flowKeyLane(id)] }, async (tx) => ({
      ...ok({ ...encryption, is_rotating: true }),
      operationId: await requestRotation(tx.own, id, pair, secrets),
    }));
  },
  outcome: async ({ params, own }, { config }) => ok(toView(await readFlowEncryption(own, params.channelID!), config)),
});
