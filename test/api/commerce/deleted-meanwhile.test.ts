import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Reply, type Tenant, useApp } from '../../support/app.ts';
import { at, book, bookable, orderFor } from '../../support/bookings.ts';
import { variant } from '../../support/factories/sold.ts';
import { storedServiceStaff } from '../../support/stored/commerce.ts';
import { waitsForLock } from '../../support/stored/locks.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp();
let own: Tenant;
let other: pg.Client;
beforeEach(async () => {
  own = await app.organization();
  other = new pg.Client({ connectionString: app.web.deps.config.databaseUrl });
  await other.connect();
});
afterEach(() => other.end());

/** A request whose look still sees the row, which is deleted before the request writes. */
async function whileDeleted(table: 'services' | 'staff', id: string, ask: () => Promise<Reply>): Promise<Reply> {
  await other.query('begin');
  await other.query(`delete from ${table} where id = $1`, [id]);
  const reply = ask();
  await waitFor('the request to wait', () => waitsForLock(app));
  await other.query('commit');
  return reply;
}

const refused = (reply: Reply) => [reply.status, reply.body.error?.details?.[0]?.field];

test('a variant of a service', async () => {
  const { serviceId } = await bookable(app, own);
  const { id } = await variant(app, { organizationId: own.organizationId, kind: 'service' });
  const body = { service_id: serviceId };
  const change = () => app.call('commerce.variants.update', { key: own.key, params: { variantID: id }, body });
  expect(refused(await whileDeleted('services', serviceId, change))).toEqual([422, 'service_id']);
});

test('a service of a staff member', async () => {
  const { staffIds } = await bookable(app, own);
  const body = { name: 'Shave', duration_minutes: 30, staff_ids: staffIds };
  const create = () => app.call('commerce.services.create', { key: own.key, body });
  expect(refused(await whileDeleted('staff', staffIds[0]!, create))).toEqual([422, 'staff_ids[0]']);
});

test('a booking, of which somebody else takes care if anybody does', async () => {
  const { serviceId, staffIds } = await bookable(app, own, { people: 2 });
  const starting = { service_id: serviceId, starts_at: at(3) };
  const orderId = await orderFor(app, own);
  const reply = await whileDeleted('staff', staffIds[0]!, () => book(app, own, orderId, starting));
  expect([reply.status, reply.body.shipping_metadata.booking.staff_id]).toEqual([201, staffIds[1]]);
  const moved = () =>
    app.call('commerce.orders.booking.update', {
      key: own.key,
      params: { orderID: orderId },
      body: { service_id: serviceId, starts_at: at(4), staff_id: late },
    });
  const late = (await bookable(app, own)).staffIds[0]!;
  await storedServiceStaff.add(app, { organization_id: own.organizationId, service_id: serviceId, staff_id: late, position: 9 });
  expect(refused(await whileDeleted('staff', late, moved))).toEqual([422, 'staff_id']);
});
