export const queueNames = [
  'messages',
  'bulk-messages',
  'webhooks',
  'webhook-retries',
  'automations',
  'statuses',
  'default',
] as const;
export type QueueName = (typeof queueNames)[number];
