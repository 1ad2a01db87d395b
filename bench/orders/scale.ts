import { Client } from 'undici';
import { idsOf } from '../scale-owner.ts';
import { type Measured, measureReads, pageSize, readTables, requests } from '../scale-reads.ts';
import type { Side, Stage } from '../stage.ts';
import { type Dataset, type Owner, seedOrders } from './dataset.ts';
import { rareName } from './order-rows.ts';
import { type Asked, reads } from './reads.ts';
import { serviceOf } from './shop-rows.ts';

export type OrdersScale = Dataset & { seconds: number; measured: Measured[]; walks: string[] };

/** Reads of a large and a small organization of one database, one request at a time, in turns. `only`: a part of the names. */
export async function ordersScale({ kanal }: Stage, rows: number, only: string): Promise<OrdersScale> {
  const startedAt = performance.now();
  const dataset = await seedOrders(kanal, rows);
  const seconds = (performance.now() - startedAt) / 1000;
  console.error(`orders: ${rows} in ${seconds.toFixed(0)} s`);
  const web = await kanal.startWeb();
  const client = new Client(web.base);
  try {
    const samples = { large: await samplesOf(kanal, dataset.large), small: await samplesOf(kanal, dataset.small) };
    const wanted = reads.filter(({ name }) => name.includes(only));
    return { ...dataset, seconds, ...(await measureReads('orders', { kanal, client, rows }, wanted, samples)) };
  } finally {
    await Promise.all([client.close(), web.process.stop()]);
  }
}

type Sampled = { id: string; contact_id: string; order_no: string; customer_phone: string; customer_email: string };

async function samplesOf({ sql }: Side, owner: Owner): Promise<Asked[]> {
  const ids = await idsOf(sql, 'orders', owner, requests);
  const booked = await sql.query<{ order_id: string }>(
    'select order_id from bookings where organization_id = $1 order by md5(id::text) limit $2',
    [owner.organizationId, requests],
  );
  const orders = await sql.query<Sampled>(
    `select id, contact_id, order_no, customer_phone, customer_email
       from orders
      where organization_id = $1 and id = any($2::uuid[])
      order by id`,
    [owner.organizationId, ids],
  );
  const names = await sql.query<{ name: string; service_id: string }>(
    `select ${rareName} as name, ${serviceOf('0')} as service_id
       from (select $1::uuid as o) x, generate_series(1, $2::int) i, lateral (select 1 + i % ($3::int / 83) as n) y`,
    [owner.organizationId, requests, owner.sizes.contacts],
  );
  return orders.rows.map((order, index) => ({
    owner,
    cursor: '',
    orderId: ids[index]!,
    bookedId: booked.rows[index]!.order_id,
    contactId: order.contact_id,
    orderNo: order.order_no,
    phone: order.customer_phone,
    email: order.customer_email,
    rareName: names.rows[index]!.name,
    serviceId: names.rows[index]!.service_id,
  }));
}

const whole = (count: number) => count.toLocaleString('en-US');

export function ordersReport({ large, small, others, seconds, measured }: OrdersScale): string {
  const bookingsOf = ({ sizes: { bookings, staff } }: Owner) => `${whole(bookings)} bookings of ${whole(staff)} people`;
  const [many, few] = [large.sizes.orders, small.sizes.orders];
  return [
    `An organization with ${whole(many)} orders and ${bookingsOf(large)}, one with ${whole(few)} and ${bookingsOf(small)}, and ${whole(others)} others in one database, made in ${seconds.toFixed(0)} s; pages of ${pageSize}, ${requests} requests of each, one at a time, in turns. Five people do the service whose slots are asked for, with 200 bookings each in that month on both sides.`,
    '',
    ...readTables(measured, { small: few, large: many }),
  ].join('\n');
}
