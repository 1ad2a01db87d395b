import Joi from 'joi';
import { channelLock } from '../../src/channels/change.ts';
import { qualities, tokenStates } from '../../src/channels/health.entity.ts';
import { type HealthRow, maxWaiting, readHealth } from '../../src/channels/health.ts';
import { requestCheck } from '../../src/channels/request-check.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id, iso, operationNote, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { aboutChannel } from './schemas.ts';

const told = Joi.string().allow('').required();
const time = timestamp.allow(null).required();

const healthView = view(
  'channel_health',
  Joi.object({
    channel_id: id.required(),
    status: Joi.string().valid('connected', 'disconnected', 'auth_error', 'restricted').required(),
    authorization: Joi.string()
      .valid(...tokenStates)
      .required()
      .description('Whether the provider takes the token, as the last call or check found'),
    quality: Joi.string()
      .valid(...qualities)
      .required()
      .description('What people think of the messages of the number'),
    messaging_limit: told.description(
      'People a day that the number may write to first, in the words of the provider, e.g. `tier_1k`',
    ),
    throughput: told.description('`standard` or `high`: messages a second that the provider takes'),
    rate: Joi.number().integer().required().description('Messages a second that Kanal sends at most'),
    verified_name: told.description('The name that people see'),
    name_status: told.description('What the provider decided on the name, e.g. `approved`'),
    account_status: told.description(
      "What the provider's webhooks told last of the account, e.g. `account_restriction`; empty: nothing",
    ),
    webhook_subscribed: Joi.boolean()
      .allow(null)
      .required()
      .description("Whether the account's webhooks come to an app; null: not known, or the token may not ask"),
    last_inbound_at: time.description('The newest message that was received'),
    last_outbound_at: time.description('The newest message that was accepted for sending, or sent from the phone app'),
    messages_waiting: Joi.number()
      .integer()
      .required()
      .description(`Conversations whose next message waits for its turn or for the channel; counted up to ${maxWaiting}`),
    problem: told.description('Why the provider refused the last check, in its words'),
    checked_at: time.description('The last check that had an answer'),
    next_check_at: time,
  }),
  {
    channel_id: exampleIds.channel,
    status: 'connected',
    authorization: 'valid',
    quality: 'green',
    messaging_limit: 'tier_1k',
    throughput: 'standard',
    rate: 80,
    verified_name: 'Kanal Demo',
    name_status: 'approved',
    account_status: '',
    webhook_subscribed: true,
    last_inbound_at: exampleTime,
    last_outbound_at: exampleTime,
    messages_waiting: 0,
    problem: '',
    checked_at: exampleTime,
    next_check_at: exampleTime,
  },
);

const at = (value: string | null) => value && iso(value);

const toHealthView = (row: HealthRow) => ({
  channel_id: row.id,
  status: row.status,
  authorization: row.token_state,
  quality: row.quality,
  messaging_limit: row.messaging_limit,
  throughput: row.throughput,
  rate: row.rate,
  verified_name: row.verified_name,
  name_status: row.name_status,
  account_status: row.account_status,
  webhook_subscribed: row.is_subscribed,
  last_inbound_at: at(row.last_inbound_at),
  last_outbound_at: at(row.last_outbound_at),
  messages_waiting: row.waiting,
  problem: row.problem,
  checked_at: at(row.checked_at),
  next_check_at: at(row.next_check_at),
});

export const getHealth = endpoint({
  tag: aboutChannel.tag,
  subject: aboutChannel.subject,
  method: 'get',
  path: '/v1/channels/:channelID/health',
  operationId: 'channels.health.get',
  scope: 'channels:read',
  summary: 'Get the health of a channel',
  description:
    'As the provider told it last: by its webhooks, and at a check about every hour. The last times of messages are read now, among the newest 2,000 messages of the channel; older ones as the last check found them.',
  responses: { 200: healthView },
  handler: async ({ params, own }) => ok(toHealthView(await readHealth(own, params.channelID))),
});

export const checkHealth = endpoint({
  tag: aboutChannel.tag,
  subject: aboutChannel.subject,
  method: 'post',
  path: '/v1/channels/:channelID/health/check',
  operationId: 'channels.health.check',
  scope: 'channels:write',
  summary: 'Ask the provider for the health of a channel now',
  description: `A token that is refused puts the channel in \`auth_error\`; one that is good again connects it. While a check is under way, it is named again. ${operationNote}`,
  isIdempotent: true,
  isOperation: true,
  responses: { 200: healthView },
  async handler({ params: { channelID: id }, own, write }) {
    const health = toHealthView(await readHealth(own, id));
    return write({ locks: [channelLock(id)] }, async (tx) => ({ ...ok(health), operationId: await requestCheck(tx.own, id) }));
  },
  outcome: async ({ params, own }) => ok(toHealthView(await readHealth(own, params.channelID))),
});
