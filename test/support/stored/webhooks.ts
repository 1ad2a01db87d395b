import { Delivery, DeliveryAttempt, WebhookEndpoint } from '../../../src/webhooks/endpoint.entity.ts';
import { WebhookReplay } from '../../../src/webhooks/replay/replay.entity.ts';
import { storedRows } from './rows.ts';

export const storedEndpoints = storedRows(WebhookEndpoint);
export const storedDeliveries = storedRows(Delivery);
export const storedDeliveryAttempts = storedRows(DeliveryAttempt);
export const storedReplays = storedRows(WebhookReplay);
