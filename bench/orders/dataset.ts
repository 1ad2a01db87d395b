import type pg from 'pg';
import { uuidv7 } from '../../src/platform/ids.ts';
import { createSecrets } from '../../src/platform/secrets.ts';
import { atOnce } from '../long/fill/at-once.ts';
import { withoutIndexes } from '../long/fill/indexes.ts';
import { insertOwner, newOwner, type ScaleOwner } from '../scale-owner.ts';
import type { Side } from '../stage.ts';
import { orders, refunds, type Sizes, sizesOf, tables } from './order-rows.ts';
import { people, shop } from './shop-rows.ts';

export type Owner = ScaleOwner & { sizes: Sizes };
export type Dataset = { large: Owner; small: Owner; others: number };

const organizations = 1_000;
/** A page more than the far one. */
const smallOrders = 10_100;
const ordersOfOthers = 20;
const filled = [
  ...[
    'contacts',
    'orders',
    'order_items',
    'payment_sessions',
    'payments',
    'refunds',
    'shipments',
    'bookings',
    'booking_calendars',
  ],
  'staff_busy',
];

/** An organization with so many orders, a small one and the rest of a thousand, in one database. */
export async function seedOrders({ sql: pool, env }: Side, count: number): Promise<Dataset> {
  const [small, large] = [smallOrders, count].map((rows) => ({ ...newOwner(), sizes: sizesOf(rows) })) as [Owner, Owner];
  const others = Array.from({ length: organizations - 2 }, () => uuidv7());
  const secrets = createSecrets({ secretKey: env.SECRET_KEY!, hashKey: env.HASH_KEY! });
  const token = secrets.seal(`co_${'A'.repeat(54)}`);
  const sql = await pool.connect();
  try {
    for (const owner of [small, large]) await insertOwner(sql, owner);
    await sql.query(`insert into organizations (id, name) select id, 'Other' from unnest($1::uuid[]) id`, [others]);
    for (const statement of shop) await sql.query(statement, [[small.organizationId, large.organizationId, ...others]]);
  } finally {
    sql.release();
  }
  const restore = await withoutIndexes(pool, filled, 2);
  const startedAt = performance.now();
  await fill(pool, others, sizesOf(ordersOfOthers), token);
  for (const owner of [small, large]) await fill(pool, [owner.organizationId], owner.sizes, token);
  console.error(`orders: rows in ${((performance.now() - startedAt) / 1000).toFixed(0)} s, indexes to come`);
  await restore();
  await pool.query('vacuum analyze');
  return { large, small, others: others.length };
}

async function fill(pool: pg.Pool, owners: string[], sizes: Sizes, token: string): Promise<void> {
  const run = (statements: string[]) => async (client: pg.ClientBase) => {
    for (const statement of statements)
      await client.query(statement, statement.includes('$1') ? [statement.includes('$1::uuid[]') ? owners : token] : []);
  };
  await atOnce(pool, 1, [run([...people(sizes.staff), ...orders(sizes)])], (client, work) => work(client));
  await atOnce(
    pool,
    2,
    tables(sizes).map((statement) => run([statement])),
    (client, work) => work(client),
  );
  await atOnce(pool, 1, [run([refunds, 'drop table bench_orders, bench_contacts'])], (client, work) => work(client));
  await pool.query(`insert into order_counters (organization_id, last_no) select o, $2 from unnest($1::uuid[]) o`, [
    owners,
    sizes.orders,
  ]);
}
