import Joi from 'joi';
import { readNumber } from '../../src/channels/account.ts';
import { changeChannel, channelLock } from '../../src/channels/change.ts';
import { connectChannel } from '../../src/channels/connect.ts';
import { listChannels, readChannel } from '../../src/channels/queries.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { syncLane } from '../../src/templates/jobs.ts';
import { countTemplates, enqueueSync } from '../../src/templates/sync.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, operationNote } from '../http/schemas.ts';
import { view, withExample } from '../http/view.ts';
import { accessToken, channelView, token, toView } from './schemas.ts';

const tag = 'Channels';
const name = Joi.string().trim().min(1).max(200);
const providerId = Joi.string()
  .trim()
  .max(32)
  .pattern(/^\d{1,32}$/, 'digits');
const rate = Joi.number().strict().integer().min(1).max(1000).description('Messages a second, over all workers');

/** Of the channel to come, where it is onboarded. */
export { name as channelName, rate as channelRate };

type ConnectBody = {
  name?: string;
  phone_number_id: string;
  waba_id: string;
  access_token: string;
  app_secret?: string;
  verify_token?: string;
  rate: number;
};

export const connect = endpoint({
  method: 'post',
  path: '/v1/channels',
  operationId: 'channels.connect',
  tag,
  scope: 'channels:write',
  summary: 'Connect a number of the messaging app',
  audit: 'channel',
  description: `Reads the number with the given token first, and asks the provider whether it belongs to the account \`waba_id\`: 422 when not. Its templates are fetched by an operation. ${operationNote}`,
  isIdempotent: true,
  isOperation: true,
  body: Joi.object<ConnectBody>({
    name: name.description("Default: the number's verified name"),
    phone_number_id: providerId.required(),
    waba_id: providerId.required(),
    access_token: accessToken.required(),
    app_secret: token.description("Secret of the channel's own provider app, when it has one"),
    verify_token: token,
    rate: rate.default(80),
  }),
  responses: { 201: channelView },
  example: {
    body: { name: 'Support', phone_number_id: '100000000000001', waba_id: '200000000000001', access_token: '<token>' },
  },
  async handler({ body, write }, { providers, secrets }) {
    const request = {
      name: body.name,
      phoneNumberId: body.phone_number_id,
      accountId: body.waba_id,
      accessToken: body.access_token,
      appSecret: body.app_secret,
      verifyToken: body.verify_token,
      rate: body.rate,
    };
    const number = await readNumber(providers.messagingApp, request);
    return write({}, async (tx) => {
      const { channel, operationId } = await connectChannel(tx, request, number, secrets);
      return { status: 201, body: toView(channel), operationId };
    });
  },
});

export const listOfChannels = endpoint({
  method: 'get',
  path: '/v1/channels',
  operationId: 'channels.list',
  tag,
  scope: 'channels:read',
  summary: 'List channels, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(channelView) },
  handler: ({ query, own }) => listed('channels', {}, query, (page) => listChannels(own, {}, page), toView),
});

export const getChannel = endpoint({
  method: 'get',
  path: '/v1/channels/:channelID',
  operationId: 'channels.get',
  tag,
  scope: 'channels:read',
  summary: 'Get one channel',
  subject: 'Channel',
  responses: { 200: channelView },
  handler: async ({ params, own }) => ok(toView(await readChannel(own, params.channelID))),
});

const noApp = Joi.valid(null).description(
  "Null removes the secret and the verify token of the channel's own provider app: its webhooks come by the installation's app again",
);

type ChangeBody = { name?: string; rate?: number; access_token?: string; app_secret?: null };

export const patchChannel = endpoint({
  method: 'patch',
  path: '/v1/channels/:channelID',
  operationId: 'channels.update',
  tag,
  scope: 'channels:write',
  summary: 'Change a channel',
  audit: 'channel',
  description:
    'A new token is tried at the provider first. It connects a channel again that is in `auth_error` or `restricted`, and messages that waited for it go out.',
  subject: 'Channel',
  body: Joi.object<ChangeBody>({ name, rate, access_token: accessToken, app_secret: noApp }).min(1),
  responses: { 200: withExample(channelView, { name: 'Front desk' }) },
  example: { body: { name: 'Front desk' } },
  async handler({ params, body, own, write }, { providers, secrets }) {
    const id = params.channelID;
    if (body.access_token) {
      const channel = await readChannel(own, id);
      await readNumber(providers.messagingApp, {
        phoneNumberId: channel.phone_number_id,
        accountId: channel.account_id,
        accessToken: body.access_token,
      });
    }
    const change = { name: body.name, rate: body.rate, accessToken: body.access_token, appSecret: body.app_secret };
    return write({ locks: [channelLock(id)] }, async (tx) => ok(toView(await changeChannel(tx, id, change, secrets))));
  },
});

const syncView = view(
  Joi.object({
    channel_id: id.required(),
    templates: Joi.number().integer().required().description('How many are stored now'),
  }),
  { channel_id: exampleIds.channel, templates: 12 },
);

export const syncTemplates = endpoint({
  method: 'post',
  path: '/v1/channels/:channelID/templates/sync',
  operationId: 'templates.sync',
  tag: 'Templates',
  scope: 'channels:write',
  summary: "Fetch the channel's message templates from the provider",
  description: `Asked again while it is under way it is the same operation. ${operationNote}`,
  subject: 'Channel',
  isIdempotent: true,
  isOperation: true,
  responses: { 200: syncView },
  async handler({ params, own, write }) {
    const { id } = await readChannel(own, params.channelID);
    const templates = await countTemplates(own, id);
    return write({ locks: [syncLane(id)] }, async (tx) => ({
      ...ok({ channel_id: id, templates }),
      operationId: await enqueueSync(tx.own, id),
    }));
  },
  outcome: async ({ params, own }) =>
    ok({ channel_id: params.channelID, templates: await countTemplates(own, params.channelID) }),
});
