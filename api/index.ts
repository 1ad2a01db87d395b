import { connect, getChannel, listOfChannels, patchChannel, syncTemplates } from './channels/channels.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { getMessage, listOfMessages, retryOfMessage, sendMessage } from './messaging/messages.ts';
import { getOperation } from './operations/operations.ts';
import { receiveChannelWebhook, receiveWebhook, verifyChannelWebhook, verifyWebhook } from './provider-webhooks/messaging-app.ts';
import { createWebhookEndpoint, testWebhookEndpoint } from './webhooks/endpoints.ts';

/** Every endpoint, in the order of the document. */
export const endpoints: AnyEndpoint[] = [
  sendMessage,
  listOfMessages,
  getMessage,
  retryOfMessage,
  connect,
  listOfChannels,
  getChannel,
  patchChannel,
  syncTemplates,
  createWebhookEndpoint,
  testWebhookEndpoint,
  getOperation,
  verifyWebhook,
  receiveWebhook,
  verifyChannelWebhook,
  receiveChannelWebhook,
];
