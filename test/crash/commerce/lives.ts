import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../../src/platform/database/query.ts';
import { jne, menteng } from '../../support/shipping.ts';
import { type Answer, answered } from '../answered.ts';
import type { Stack } from '../stack.ts';
import { made, type PayProvider, type Shop } from './shop.ts';

/** What a customer and the shop did with an order. */
export type Life = { orderId: string; provider: PayProvider; refunds: string[]; isBooked: boolean; startsAt: string };

type Order = {
  status: string;
  payment_status: string;
  total_amount: number;
  shipping_metadata: { booking?: { calendar_sync_status?: string } };
};
type Session = { id: string; status: string; provider_session_id: string | null };

const orders = '/v1/commerce/orders';
/** A third try comes after 30 seconds, a fourth after two minutes; a kill costs some six. */
const patienceMs = 240_000;
/** Of its webhook. After it, whoever waits takes it for lost. */
const webhookMs = 5_000;

const dayMs = 86_400_000;
const firstHour = Math.ceil(Date.now() / dayMs) * dayMs + dayMs;

/** Each order has two hours of its own of one person: one it books, and one it may move to. */
function hoursOf(number: number, people: number): [first: string, second: string] {
  const at = (which: number) => new Date(firstHour + (Math.floor(number / people) * 2 + which) * 3_600_000).toISOString();
  return [at(0), at(1)];
}

/** From the first click to the parcel at the door and the entry in the calendar. Each fourth gets money back, each third moves its hour. */
export async function live(stack: Stack, shop: Shop, number: number): Promise<Life> {
  const provider = number % 2 === 0 ? 'stripe' : 'xendit';
  const [first, second] = hoursOf(number, shop.staffIds.length);
  const orderId = await made(stack, orders, {
    items: [
      { variant_id: shop.goodsId, quantity: 1 + (number % 3) },
      { variant_id: shop.hourId, quantity: 1 },
    ],
    ...{ customer_name: `Customer ${number}`, customer_phone: `+6281300${String(number).padStart(6, '0')}` },
    delivery_method_id: shop.methodId,
    shipping_address: { address: 'Jl. Dua 2', district: 'Menteng', city: 'Jakarta', province: 'DKI Jakarta', area_id: menteng },
    booking: { service_id: shop.serviceId, staff_id: shop.staffIds[number % shop.staffIds.length], starts_at: first },
  });
  const path = `${orders}/${orderId}`;
  await pay(stack, path, shop.payments[provider]);
  const shipmentId = await made(stack, `${path}/shipments`, jne);
  const isMoved = number % 3 === 0;
  const isBooked = number % 7 !== 3;
  if (isMoved) await taken(stack, 'PATCH', `${path}/booking`, { starts_at: second, source: 'staff' });
  const refunds: string[] = [];
  if (number % 4 === 1) refunds.push(await giveBack(stack, path, number % 8 === 1 ? {} : { amount: 900_000 }));
  if (!isBooked) await taken(stack, 'DELETE', `${path}/booking`);
  await deliver(stack, path, shipmentId);
  await reached(stack, path, 'its calendar', ({ shipping_metadata }) => {
    return shipping_metadata.booking?.calendar_sync_status === 'synced';
  });
  return { orderId, provider, refunds, isBooked, startsAt: isMoved ? second : first };
}

async function taken(stack: Stack, method: string, path: string, body?: object): Promise<Answer['body']> {
  const reply = await answered(stack, method, path, body);
  if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

const read = async <Body>(stack: Stack, path: string) => (await taken(stack, 'GET', path)) as unknown as Body;

async function reached(
  stack: Stack,
  path: string,
  what: string,
  isReached: (order: Order) => boolean,
  meanwhile?: () => unknown,
) {
  let order: Order | undefined;
  for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(300)) {
    order = await read<Order>(stack, path);
    if (isReached(order)) return;
    await meanwhile?.();
  }
  const rows = await query(
    stack.database.em(),
    `select name, state, attempts, run_at - now() as due, error from jobs where subject_id::text = $1 or lane like '%' || $1`,
    [path.split('/').at(-1)],
  );
  throw new Error(`${path} did not reach ${what}: ${JSON.stringify(order)} ${JSON.stringify(rows)}`);
}

/** The look that is due in minutes or hours, should no webhook come, is due now. */
export const lookNow = (stack: Stack, job: string, subjectId: string) =>
  query(
    stack.database.em(),
    `update jobs set run_at = clock_timestamp(), check_at = clock_timestamp()
      where name = $1 and subject_id = $2 and state in ('waiting', 'queued') and run_at > clock_timestamp() + interval '20 s'`,
    [job, subjectId],
  );

/** Asks for a page until there is one to pay on. What its webhook does not tell is found by a look. */
async function pay(stack: Stack, path: string, connectionId: string): Promise<void> {
  const sessions = `${path}/payment-sessions`;
  let paid: Session | undefined;
  for (const until = Date.now() + patienceMs; !paid; await sleep(300)) {
    if (Date.now() > until) throw new Error(`${sessions}: no page to pay on`);
    const { items } = await read<{ items: Session[] }>(stack, sessions);
    const open = items.find(({ status }) => status === 'open');
    if (open && (await payAt(stack, open))) paid = open;
    else if (!items.some(({ status }) => status === 'creating'))
      await taken(stack, 'POST', sessions, { connection_id: connectionId, success_url: 'https://shop.example/thanks' });
  }
  const lostAt = Date.now() + webhookMs;
  await reached(
    stack,
    path,
    'its payment',
    ({ status, payment_status }) => status === 'confirmed' && payment_status === 'paid',
    () => Date.now() > lostAt && lookNow(stack, 'commerce.check-payment', paid.id),
  );
}

/** False: the provider has ended the page meanwhile. */
const payAt = (stack: Stack, { provider_session_id }: Session): Promise<boolean> =>
  stack.control('POST', `/payments/${provider_session_id}/pay`, {}).then(
    () => true,
    (error: Error) => {
      if (error.message.includes(': 409')) return false;
      throw error;
    },
  );

export async function giveBack(stack: Stack, path: string, body: object): Promise<string> {
  const id = await made(stack, `${path}/refunds`, body);
  for (const until = Date.now() + patienceMs; ; await sleep(300)) {
    const refund = await read<{ status: string; failure: unknown }>(stack, `${path}/refunds/${id}`);
    if (refund.status === 'succeeded') return id;
    if (refund.status === 'failed' || Date.now() > until) throw new Error(`${path}/refunds/${id}: ${JSON.stringify(refund)}`);
  }
}

/** Moves the parcel as soon as the shipper has it. */
async function deliver(stack: Stack, path: string, shipmentId: string): Promise<void> {
  type Shipment = { status: string; provider_status: string; failure: unknown };
  let shown: Shipment | undefined;
  const reach = async (isReached: (shipment: Shipment) => boolean) => {
    const lostAt = Date.now() + webhookMs;
    for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(300)) {
      shown = await read<Shipment>(stack, `${path}/shipments/${shipmentId}`);
      if (isReached(shown)) return;
      if (shown.status !== 'creating' && Date.now() > lostAt)
        await lookNow(stack, 'commerce.check-shipment', path.split('/').at(-1)!);
    }
    throw new Error(`${path}/shipments/${shipmentId}: ${JSON.stringify(shown)}`);
  };
  await reach(({ status }) => status === 'confirmed');
  for (const status of ['picked', 'delivered']) {
    await stack.control('POST', `/shipments/${shipmentId}/status`, { status });
    await reach(({ provider_status }) => provider_status === status);
  }
  await reached(stack, path, 'its delivery', ({ status }) => status === 'completed');
}
