import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../../src/platform/database/query.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { orderRows, paymentSessionRows } from '../../support/work/commerce.ts';
import { makeDue } from '../../support/work/jobs.ts';
import { ahead, rightNow } from '../../support/work/rows.ts';
import { randomFrom, seed } from '../options.ts';
import { type BackendName, limitMs, type Stack, startStack } from '../stack.ts';
import {
  expectCalendarAgrees,
  expectMoneyAgrees,
  expectParcelsAgree,
  expectStockAgrees,
  openWork,
  paymentsThere,
} from './agreement.ts';
import { breakConnections, killWorkers } from './faults.ts';
import { giveBack, type Life, live } from './lives.ts';
import { commerceSizes } from './options.ts';
import { openShop } from './shop.ts';

let stack: Stack;
afterEach(() => stack.stop());

const { orders, kills, maxPauseMs } = commerceSizes;
const customers = Math.max(10, orders / 25);
const goods = 100_000;

async function liveAll(one: (number: number) => Promise<Life>): Promise<Life[]> {
  const lives: Life[] = [];
  let next = 0;
  const customer = async () => {
    while (next < orders) {
      next += 1;
      lives.push(await one(next - 1));
    }
  };
  await Promise.all(Array.from({ length: customers }, customer));
  return lives;
}

const lost = `select s.reference_id as reference, s.order_id, o.total_amount::float8 as total
                from payment_sessions s join orders o on o.organization_id = s.organization_id and o.id = s.order_id
               where s.status = 'unknown'`;
type Lost = { reference: string; order_id: string; total: number };

/**
 * Pages whose making had no answer, at the provider that makes a second one when it is asked again. Half of those that are there are paid as well:
 * the surplus is seen, and given back. Tells how many orders have two pages, and how many were paid twice.
 */
async function payTwice(lives: Life[]): Promise<{ doubled: number; paidTwice: number }> {
  const { sessions } = await paymentsThere(stack);
  const rows = await query<Lost>(stack.database.em(), lost);
  const there = rows.filter(({ reference }) => sessions.some((session) => session.reference === reference));
  const paid = there.filter((_, index) => index % 2 === 0);
  for (const { reference, order_id: orderId, total } of paid) {
    const path = `/v1/commerce/orders/${orderId}`;
    const life = lives.find((one) => one.orderId === orderId)!;
    const before = (await stack.call<{ paid_amount: number }>('GET', path)).body.paid_amount;
    await stack.control('POST', `/payments/${reference}/pay`, {});
    for (const until = Date.now() + 60_000; ; await sleep(200)) {
      const { body } = await stack.call<{ paid_amount: number; attention: string[]; refunded_amount: number }>('GET', path);
      if (body.paid_amount > before) {
        expect(body.paid_amount).toBe(before + total);
        // An order may have lost several pages, and money of it may be given back already.
        expect(body.attention).toEqual(body.paid_amount - body.refunded_amount > total ? ['overpaid'] : []);
        break;
      }
      if (Date.now() > until) throw new Error(`${path}: its second payment was not counted`);
    }
    life.refunds.push(await giveBack(stack, path, { amount: total }));
    const { body } = await stack.call<{ attention: string[] }>('GET', path);
    expect(body.attention).toEqual([]);
  }
  return { doubled: new Set(there.map(({ order_id }) => order_id)).size, paidTwice: paid.length };
}

/** Pages nobody answered for end with their time, which is put forward; so are looks that are due in hours. */
async function untilSettled(): Promise<void> {
  const standstillMs = 150_000;
  let least = Number.POSITIVE_INFINITY;
  let open: Awaited<ReturnType<typeof openWork>> = [];
  for (let movedAt = Date.now(); Date.now() < movedAt + standstillMs; await sleep(500)) {
    open = await openWork(stack);
    if (open.length === 0) return;
    if (open.length < least) [least, movedAt] = [open.length, Date.now()];
    const unknown = { status: 'unknown' as const, expires_at: { $gt: rightNow() } };
    await paymentSessionRows.change(stack.database, unknown, { expires_at: rightNow() });
    await makeDue(stack.database, { state: { $in: ['waiting', 'queued'] }, run_at: { $gt: ahead('20 s') } });
  }
  const jobs = await query(stack.database.em(), `select name, state, attempts, run_at - now() as due, error from jobs limit 20`);
  throw new Error(
    `Not settled: ${JSON.stringify(open.slice(0, 20))} ${JSON.stringify(jobs)}\n${stack.workerOutput().slice(-3_000)}`,
  );
}

test.each<BackendName>(['postgres', 'redis'])(
  'orders are paid, sent and booked once while workers are killed and connections drop: %s',
  async (backend) => {
    process.stdout.write(`orders, ${backend}: seed ${seed}\n`);
    stack = await startStack({ backend, env: { PROVIDER_TIMEOUT_MS: '2000' } });
    const shop = await openShop(stack, goods);
    const startedAt = performance.now();
    let [begun, isOver] = [0, false];
    const living = liveAll((number) => {
      begun += 1;
      return live(stack, shop, number);
    })
      .catch((error: Error) => {
        throw new Error(`${error.message}\n${stack.webOutput().slice(-3_000)}\n${stack.workerOutput().slice(-3_000)}`);
      })
      .finally(() => {
        isOver = true;
      });
    const [lives, met, killed] = await Promise.all([
      living,
      breakConnections(stack, {
        random: randomFrom(seed),
        begun: () => begun,
        // The last few orders would meet all faults.
        isOver: () => isOver || begun === orders,
      }),
      killWorkers(stack, { kills, maxPauseMs, random: randomFrom(seed - 1), isOver: () => isOver }),
    ]);
    const { doubled, paidTwice } = await payTwice(lives);
    await untilSettled();
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const ofXendit = lives.filter(({ provider }) => provider === 'xendit').length;
    process.stdout.write(
      `orders, ${backend}: ${orders} in ${seconds} s, ${killed} kills, ${JSON.stringify(met)}; at Xendit ${doubled} of ${ofXendit} orders with two pages (${((100 * doubled) / ofXendit).toFixed(1)} %), ${paidTwice} paid twice\n`,
    );

    expect(lives.length).toBe(orders);
    await expectMoneyAgrees(stack, lives);
    await expectParcelsAgree(stack, lives);
    await expectCalendarAgrees(stack, lives);
    await expectStockAgrees(stack, goods);
    const stored = await orderRows.all(stack.database, {}, ['id', 'attention']);
    expect(stored.filter(({ attention }) => attention.length > 0)).toEqual([]);
    expect(killed).toBeGreaterThan(0);
    expect(met.drop_before).toBeGreaterThan(0);
    expect(met.drop_after).toBeGreaterThan(0);
    expect(await checkJobs(stack.database)).toEqual([]);
  },
  Math.max(limitMs, orders * 3_000),
);
