import { openGet } from './get.ts';
import { openMessage } from './message.ts';
import { openPayment } from './payment.ts';
import type { OpenVictim, VictimName } from './victim.ts';
import { openWebhook } from './webhook.ts';

export const openVictim: Record<VictimName, OpenVictim> = {
  get: openGet,
  message: openMessage,
  webhook: openWebhook,
  payment: openPayment,
};
