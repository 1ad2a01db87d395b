import { randomUUID } from 'node:crypto';
import { query } from '../../../src/platform/database/query.ts';
import { cilandak } from '../../support/shipping.ts';
import { answered } from '../answered.ts';
import type { Stack } from '../stack.ts';

export type PayProvider = 'stripe' | 'xendit';
export type Shop = {
  payments: Record<PayProvider, string>;
  goodsId: string;
  hourId: string;
  serviceId: string;
  methodId: string;
  staffIds: string[];
};

const people = 8;
const allDay = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, start: '00:00', end: '24:00' }));
const credentials = {
  stripe: { secret_key: 'sk_test_crash1234' },
  xendit: { secret_key: 'xnd_development_crash1234' },
  biteship: { api_key: 'biteship_test.crash' },
  google: { refresh_token: 'sandbox-refresh-token-crash' },
};

export async function made(stack: Stack, path: string, body: object, method = 'POST'): Promise<string> {
  const reply = await answered(stack, method, path, body);
  if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body.id as string;
}

/** Goods to send, an hour to book, and the four accounts behind them, whose webhooks come to the first web process. */
export async function openShop(stack: Stack, goods: number): Promise<Shop> {
  const connect = (provider: keyof typeof credentials, secret?: string) =>
    made(stack, '/v1/connections', {
      ...{ provider, name: provider, credentials: credentials[provider] },
      ...(secret !== undefined && { webhook_secret: secret }),
    });
  const secrets = { stripe: `whsec_${randomUUID()}`, xendit: randomUUID(), biteship: randomUUID() };
  const payments = { stripe: await connect('stripe', secrets.stripe), xendit: await connect('xendit', secrets.xendit) };
  const shipper = await connect('biteship', secrets.biteship);
  const calendar = await connect('google');
  for (const provider of ['stripe', 'xendit'] as const)
    await stack.control('POST', '/payment-accounts', {
      secret_key: credentials[provider].secret_key,
      webhook: { url: `${stack.base}/v1/providers/payments/${payments[provider]}/webhook`, secret: secrets[provider] },
    });
  await stack.control('POST', '/shipper-accounts', {
    api_key: credentials.biteship.api_key,
    webhook: {
      url: `${stack.base}/v1/providers/shipping/${shipper}/webhook`,
      header: 'x-webhook-secret',
      secret: secrets.biteship,
    },
  });
  // Without their pace: thousands of calls, five a second, would take the day.
  await query(stack.database.em(), `update pools set rate = 1000, width = 16 where id like 'connection:%'`);
  const origin = { contact_name: 'Store', contact_phone: '+6281200000001', address: 'Jl. Satu 1', area_id: cilandak };
  await made(
    stack,
    '/v1/commerce/settings',
    { currency: 'IDR', timezone: 'Asia/Jakarta', order_no_prefix: 'C-', shipping_origin: origin },
    'PATCH',
  );
  const staffIds: string[] = [];
  for (let number = 0; number < people; number += 1)
    staffIds.push(
      await made(stack, '/v1/commerce/staff', {
        ...{ name: `Person ${number}`, timezone: 'UTC', calendar_connection_id: calendar, weekly_hours: allDay },
      }),
    );
  const hour = { name: 'Advice', duration_minutes: 60, step_minutes: 60, conference: 'calendar', staff_ids: staffIds };
  const serviceId = await made(stack, '/v1/commerce/services', hour);
  const soap = await made(stack, '/v1/commerce/products', { name: 'Soap', slug: 'soap', kind: 'physical' });
  const advice = await made(stack, '/v1/commerce/products', { name: 'Advice', slug: 'advice', kind: 'service' });
  const piece = { sku: 'SOAP', name: 'Bar', prices: { IDR: 4_500_000 }, weight_grams: 120, tracks_stock: true, on_hand: goods };
  const goodsId = await made(stack, `/v1/commerce/products/${soap}/variants`, piece);
  const oneHour = { sku: 'ADVICE', name: 'Hour', prices: { IDR: 15_000_000 }, service_id: serviceId };
  const hourId = await made(stack, `/v1/commerce/products/${advice}/variants`, oneHour);
  const courier = { name: 'Courier', kind: 'flat', currency: 'IDR', fee_amount: 900_000 };
  const methodId = await made(stack, '/v1/commerce/delivery-methods', courier);
  return { payments, goodsId, hourId, serviceId, methodId, staffIds };
}
