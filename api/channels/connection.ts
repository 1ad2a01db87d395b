import Joi from 'joi';
import { readNumber } from '../../src/channels/account.ts';
import { changeChannel, channelLock, disconnectChannel, reconnectChannel } from '../../src/channels/change.ts';
import { deleteChannel } from '../../src/channels/delete.ts';
import { readChannel } from '../../src/channels/queries.ts';
import { tryToken } from '../../src/channels/try-token.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { withExample } from '../http/view.ts';
import { aboutChannel, accessToken, channelView, token, toView } from './schemas.ts';

const scope = 'channels:write';

export const disconnect = endpoint({
  ...aboutChannel,
  method: 'post',
  path: '/v1/channels/:channelID/disconnect',
  operationId: 'channels.disconnect',
  scope,
  summary: 'Disconnect a channel: it sends nothing',
  description:
    'New messages on it are a 409; those that wait keep their places until it is connected again. What people write still comes in. Idempotent.',
  isIdempotent: true,
  responses: { 200: withExample(channelView, { status: 'disconnected' }) },
  handler: ({ params: { channelID: id }, write }) =>
    write({ locks: [channelLock(id)] }, async (tx) => ok(toView(await disconnectChannel(tx, id)))),
});

export const reconnect = endpoint({
  ...aboutChannel,
  method: 'post',
  path: '/v1/channels/:channelID/connect',
  operationId: 'channels.reconnect',
  scope,
  summary: 'Connect a channel again',
  description:
    'Of any status. Its token is tried at the provider first: 422 when it is refused, and a connected channel is stopped then. Messages that waited go out. Idempotent.',
  isIdempotent: true,
  responses: { 200: channelView },
  async handler({ params: { channelID: id }, own, write }, { ledger, providers, secrets }) {
    await tryToken(own, transactFor(ledger.transact, own.organizationId), providers.messagingApp, secrets, id);
    return write({ locks: [channelLock(id)] }, async (tx) => ok(toView(await reconnectChannel(tx, id))));
  },
});

type Rotated = { access_token: string; app_secret?: string; verify_token?: string };

export const rotateToken = endpoint({
  ...aboutChannel,
  method: 'post',
  path: '/v1/channels/:channelID/rotate-token',
  operationId: 'channels.rotate-token',
  scope,
  summary: 'Give a channel a new token',
  description:
    'It is tried at the provider first: 422 when it may not use the number, and the old one stays. A channel in `auth_error` or `restricted` is connected again, and messages that waited go out; one that was disconnected stays so. Sends under way end with the old token.',
  isIdempotent: true,
  body: Joi.object<Rotated>({
    access_token: accessToken.required(),
    app_secret: token.description("Secret of the channel's own provider app, where it changes too"),
    verify_token: token,
  }),
  responses: { 200: channelView },
  example: { body: { access_token: '<token>' } },
  async handler({ params: { channelID: id }, body, own, write }, { providers, secrets }) {
    const { phone_number_id: phoneNumberId, account_id: accountId } = await readChannel(own, id);
    await readNumber(providers.messagingApp, { phoneNumberId, accountId, accessToken: body.access_token });
    const change = { accessToken: body.access_token, appSecret: body.app_secret, verifyToken: body.verify_token };
    return write({ locks: [channelLock(id)] }, async (tx) => ok(toView(await changeChannel(tx, id, change, secrets))));
  },
});

export const removeChannel = endpoint({
  ...aboutChannel,
  method: 'delete',
  path: '/v1/channels/:channelID',
  operationId: 'channels.delete',
  scope,
  summary: 'Delete a channel',
  description:
    'Its messages and conversations stay and can be read; its token and secrets are erased, and its number can be connected again, by another organization too. Messages that were not sent yet, scheduled ones too, fail with `channel_deleted`; one that is being sent at this moment may still arrive. There is no way back: connecting the number again makes another channel.',
  responses: { 204: null },
  handler: ({ params: { channelID: id }, write }) =>
    write({ locks: [channelLock(id)], isLong: true }, async (tx) => {
      await deleteChannel(tx, id);
      return { status: 204 };
    }),
});
