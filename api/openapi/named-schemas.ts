import type Joi from 'joi';
import { channelView } from '../channels/channels.ts';
import { messageView } from '../messaging/schemas.ts';
import { operationView } from '../operations/operations.ts';
import { pageMeta } from '../paging.ts';
import { endpointView } from '../webhooks/endpoints.ts';

/** The records of the API by the names that readers and generated clients know them by. One that is not here stands where it is used. */
export const namedSchemas: Record<string, Joi.Schema> = {
  message: messageView,
  channel: channelView,
  webhook_endpoint: endpointView,
  operation: operationView,
  page_meta: pageMeta,
};
