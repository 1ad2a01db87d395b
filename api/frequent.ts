import type { AnyEndpoint } from './http/endpoint.ts';
import { cancelOfMessage, getMessage, listOfMessages, retryOfMessage, sendMessage } from './messaging/messages.ts';
import { receiveChannelWebhook, receiveWebhook, verifyChannelWebhook, verifyWebhook } from './provider-webhooks/messaging-app.ts';

/** Most requests are for these: a web process is ready with them, and loads the other endpoints right after (warm-up.ts). */
export const frequent: AnyEndpoint[] = [
  sendMessage,
  listOfMessages,
  getMessage,
  retryOfMessage,
  cancelOfMessage,
  verifyWebhook,
  receiveWebhook,
  verifyChannelWebhook,
  receiveChannelWebhook,
];
