import { createHmac } from 'node:crypto';
import { uuidv7 } from '../../src/platform/ids.ts';
import type { Stage } from '../stage.ts';
import { insertOrders } from './orders.ts';
import { paymentKey, shopOf, webhookSecret } from './shop.ts';

export type OpenPage = { orderId: string; pageId: string; reference: string };

export const paymentEvent = (pageId: string, reference: string) => ({
  id: `evt_${uuidv7()}`,
  object: 'event',
  type: 'checkout.session.completed',
  data: { object: { id: pageId, object: 'checkout.session', client_reference_id: reference, payment_status: 'paid' } },
});

export function signedEvent(event: object): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify(event);
  const time = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', webhookSecret).update(`${time}.${body}`).digest('hex');
  return { body, headers: { 'content-type': 'application/json', 'stripe-signature': `t=${time},v1=${signature}` } };
}

/** Orders that wait for their payment, each with a page of the sandbox on which somebody has just paid. */
export async function openPages({ kanal, sandbox }: Stage, count: number): Promise<OpenPage[]> {
  const { sql, tenant } = kanal;
  const { orderIds } = await insertOrders(kanal, await shopOf(kanal), count, () => false);
  const pages: OpenPage[] = [];
  for (const orderId of orderIds) {
    const reference = `r-${orderId}`;
    const response = await fetch(`${sandbox.url}/v1/checkout/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${paymentKey}` },
      body: new URLSearchParams({
        mode: 'payment',
        client_reference_id: reference,
        'line_items[0][quantity]': '1',
        'line_items[0][price_data][currency]': 'usd',
        'line_items[0][price_data][unit_amount]': '2500',
        'line_items[0][price_data][product_data][name]': 'Tea',
        success_url: 'https://shop.example/paid',
        cancel_url: 'https://shop.example/cancelled',
      }),
    });
    if (!response.ok) throw new Error(`sandbox: ${response.status} ${await response.text()}`);
    const { id: pageId } = (await response.json()) as { id: string };
    await sandbox.control('POST', `/payments/${pageId}/pay`, {});
    pages.push({ orderId, pageId, reference });
  }
  const ids = [tenant.organizationId, orderIds];
  await sql.query(
    `update orders set status = 'pending', payment_status = 'pending', paid_amount = 0, confirmed_at = null
      where organization_id = $1 and id = any($2)`,
    ids,
  );
  await sql.query(
    `update payment_sessions s
        set status = 'open', provider_session_id = x.page_id
       from unnest($2::uuid[], $3::text[]) as x(order_id, page_id)
      where s.organization_id = $1 and s.order_id = x.order_id`,
    [...ids, pages.map(({ pageId }) => pageId)],
  );
  await sql.query('vacuum analyze orders, payment_sessions');
  return pages;
}
