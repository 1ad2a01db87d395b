import { Delivery, DeliveryAttempt, WebhookEndpoint } from '../../../src/webhooks/endpoint.entity.ts';
import { WebhookReplay } from '../../../src/webhooks/replay/replay.entity.ts';
import { rowsOf } from './rows.ts';

export const endpointRows = rowsOf(WebhookEndpoint);
export const deliveryRows = rowsOf(Delivery);
export const attemptRows = rowsOf(DeliveryAttempt);
export const replayRows = rowsOf(WebhookReplay);
