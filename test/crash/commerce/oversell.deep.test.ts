import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../../src/platform/database/query.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Answer, answered } from '../answered.ts';
import { seed } from '../options.ts';
import { type BackendName, limitMs, type Stack, startStack } from '../stack.ts';
import { commerceSizes } from './options.ts';
import { made } from './shop.ts';

let stack: Stack;
afterEach(() => stack.stop());

const { buyers } = commerceSizes;
const pieces = buyers / 2;

type Refusal = { code: string; details: { code: string; value: string }[] };

const soldNow = `
  select (select count(*)::int from orders) as orders,
         (select count(distinct order_no)::int from orders) as numbers,
         (select coalesce(sum(quantity), 0)::int from order_items) as pieces,
         (select coalesce(sum(quantity), 0)::int from stock_movements where kind = 'reserve') as moved,
         (select on_hand::int from product_variants) as on_hand,
         (select reserved::int from product_variants) as reserved`;
type Sold = { orders: number; numbers: number; pieces: number; moved: number; on_hand: number; reserved: number };

/** A draft that is no order and looks like one, or an order without its lines or its expiry. */
const halves = `
  select d.id
    from draft_orders d
    left join orders o on o.organization_id = d.organization_id and o.draft_order_id = d.id
   where d.order_id is distinct from o.id
  union all
  select o.id
    from orders o
   where o.subtotal_amount <> (select coalesce(sum(i.total_amount), 0) from order_items i where i.organization_id = o.organization_id and i.order_id = o.id)
      or o.stock <> 'reserved'
      or not exists (select 1 from jobs j where j.organization_id = o.organization_id and j.subject_id = o.id and j.name = 'commerce.expire-order')`;

/** Web and workers are killed while orders come in. At every moment the stock is what the orders leave of it. */
async function strike(isOver: () => boolean): Promise<string[]> {
  const struck: string[] = [];
  const reached = async (part: number) => {
    for (; !isOver(); await sleep(5)) {
      const [row] = await query<Sold>(stack.database.em(), soldNow);
      expect(row).toMatchObject({ on_hand: pieces, reserved: row!.pieces, moved: row!.pieces, numbers: row!.orders });
      if (row!.pieces >= pieces * part) return true;
    }
    return false;
  };
  for (const [part, what] of [
    [0.05, 'web'],
    [0.3, 'workers'],
    [0.5, 'web'],
  ] as const) {
    if (!(await reached(part))) break;
    await (what === 'web' ? stack.restartWeb() : stack.killWorkers());
    struck.push(what);
  }
  return struck;
}

test.each<BackendName>(['postgres', 'redis'])(
  'more buyers than pieces, while web and workers are killed: all pieces are sold, none twice: %s',
  async (backend) => {
    stack = await startStack({ backend, workers: 1, workerEnv: () => ({ LOG_LEVEL: 'warn' }) });
    const soap = await made(stack, '/v1/commerce/products', { name: 'Soap', slug: 'soap', kind: 'physical' });
    const variant = { sku: 'SOAP', name: 'Bar', prices: { USD: 500 }, tracks_stock: true, on_hand: pieces };
    const id = await made(stack, `/v1/commerce/products/${soap}/variants`, variant);
    const line = { variant_id: id, quantity: 1 };
    const itemsOf = (buyer: number) => (buyer % 3 === 0 ? [line, line] : [line]);
    const isPair = ({ buyer }: { buyer: number }) => itemsOf(buyer).length === 2;
    const wishes: { path: string; body?: object }[] = [];
    for (let buyer = 0; buyer < buyers; buyer += 1) {
      const draft = await made(stack, '/v1/commerce/draft-orders', { items: itemsOf(buyer) });
      wishes.push({ path: `/v1/commerce/draft-orders/${draft}/convert` });
    }
    // Beside them some who order without a draft: what they repeat is known by its Idempotency-Key alone.
    for (let buyer = buyers; buyer < buyers * 1.25; buyer += 1)
      wishes.push({ path: '/v1/commerce/orders', body: { items: itemsOf(buyer) } });

    let broken = 0;
    const fallible: Stack = {
      ...stack,
      call: <Body>(...request: Parameters<Stack['call']>) =>
        stack.call<Body>(...request).catch((error: Error & { cause?: { code?: string } }) => {
          // Where nobody listens, nothing was begun.
          if (error.cause?.code !== 'ECONNREFUSED') broken += 1;
          throw error;
        }),
    };
    let isOver = false;
    const ordering = Promise.all(wishes.map(({ path, body }) => answered(fallible, 'POST', path, body, 1_000))).finally(() => {
      isOver = true;
    });
    const [replies, struck] = await Promise.all([ordering, strike(() => isOver)]);

    const sold = replies.flatMap(({ status, body }, buyer) => (status === 409 ? [] : [{ status, body, buyer }]));
    const refused = replies.flatMap(({ status, body }, buyer) => (status === 409 ? [{ body, buyer }] : []));
    const total = sold.reduce((sum, { buyer }) => sum + itemsOf(buyer).length, 0);
    process.stdout.write(
      `oversell, ${backend}: seed ${seed}, ${wishes.length} buyers of ${pieces} pieces: ${sold.length} orders of ${total} pieces, ${refused.length} refused, ${broken} calls cut off, struck: ${struck.join(', ')}\n`,
    );
    expect(sold.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
    expect([pieces - 1, pieces]).toContain(total);
    if (total < pieces) expect(refused.filter((one) => !isPair(one))).toEqual([]);
    for (const one of refused) {
      const error = one.body.error as unknown as Refusal;
      const [detail, ...others] = error.details;
      expect([error.code, detail!.code, others]).toEqual(['out_of_stock', 'out_of_stock', []]);
      // What was left at that moment: nothing, or one piece for whom two were not to be had.
      expect(isPair(one) ? ['0', '1'] : ['0']).toContain(detail!.value);
    }
    const now = { orders: sold.length, numbers: sold.length, pieces: total, moved: total, on_hand: pieces, reserved: total };
    expect((await query<Sold>(stack.database.em(), soldNow))[0]).toEqual(now);
    expect(new Set(sold.map(({ body }: { body: Answer['body'] }) => body.id)).size).toBe(sold.length);
    expect(await query(stack.database.em(), halves)).toEqual([]);
    expect(struck).toEqual(['web', 'workers', 'web']);
    expect(broken).toBeGreaterThan(0);
    expect(await checkJobs(stack.database)).toEqual([]);
  },
  limitMs,
);
