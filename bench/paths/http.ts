import { createHmac } from 'node:crypto';
import { httpPath } from '../http-path.ts';
import type { Side } from '../stage.ts';
import { isLive, takeAway } from '../take-away.ts';
import { appSecret, type Tenant } from '../tenant.ts';

export const any = <Item>(items: Item[]): Item => items[Math.floor(Math.random() * items.length)]!;

export const getMessageRequest = ({ tenant }: Side) => ({
  method: 'GET' as const,
  path: `/v1/messages/${any(tenant.messageIds)}`,
  headers: { 'x-api-key': tenant.apiKey },
});

export const postMessageRequest = ({ apiKey, channelId }: Tenant, phone: string) => ({
  method: 'POST' as const,
  path: '/v1/messages',
  headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
  body: JSON.stringify({ channel_id: channelId, to: `+${phone}`, type: 'text', text: { body: 'Your order is on its way' } }),
});

export const getMessage = httpPath({
  name: 'get',
  what: 'GET /v1/messages/{id}',
  status: 200,
  request: getMessageRequest,
});

export const postMessage = httpPath({
  name: 'post',
  what: 'POST /v1/messages',
  status: 201,
  request: ({ tenant }) => postMessageRequest(tenant, any(tenant.people).phone),
  between: takeJobsAway,
});

let number = 0;
export const inbound = httpPath({
  name: 'inbound',
  what: 'POST a status webhook of the provider',
  status: 200,
  request({ tenant }) {
    number += 1;
    const status = {
      id: `wamid.${any(tenant.messageIds)}`,
      status: 'delivered',
      timestamp: String(Math.floor(Date.now() / 1000)),
      recipient_id: any(tenant.people).phone,
      conversation: { id: `c${number}`, origin: { type: 'utility' } },
      pricing: { billable: true, pricing_model: 'PMP', category: 'utility' },
    };
    const value = {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '15550100001', phone_number_id: tenant.phoneNumberId },
      statuses: [status],
    };
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: '200000000000001', changes: [{ field: 'messages', value }] }],
    });
    const signature = createHmac('sha256', appSecret).update(body).digest('hex');
    return {
      method: 'POST',
      path: '/v1/providers/messaging-app/webhook',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
      body,
    };
  },
  between: takeJobsAway,
});

/** No worker runs beside it: what one would have taken away by then is taken away between rounds, for both alike. */
export async function takeJobsAway({ sql }: Side) {
  await takeAway(sql, isLive);
  await sql.query('vacuum analyze jobs, messages, conversations, provider_webhooks');
}
