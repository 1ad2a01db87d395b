import type { AnyEndpoint } from '../http/endpoint.ts';
import { receivePaymentWebhook, receiveShippingWebhook } from '../provider-webhooks/connections.ts';
import { listOfCalendars } from './calendars.ts';
import { checkOneConnection } from './check.ts';
import { createConnection, getConnection, listOfConnections, patchConnection, removeConnection } from './connections.ts';
import { oauthCallback, startOAuth } from './oauth.ts';

/** In the order of the document. */
export const connectionEndpoints: AnyEndpoint[] = [
  listOfConnections,
  createConnection,
  // Before the one connection: its path would take `oauth` for an id.
  startOAuth,
  oauthCallback,
  getConnection,
  patchConnection,
  removeConnection,
  checkOneConnection,
  listOfCalendars,
  receivePaymentWebhook,
  receiveShippingWebhook,
];
