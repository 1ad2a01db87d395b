import { beforeAll, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { type VariantMade, variant } from '../../support/factories/sold.ts';

const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
let tea: VariantMade;

beforeAll(async () => {
  tea = await variant(app, { stock: 1000 });
});

const create = (more: object = {}, headers: Record<string, string> = {}) =>
  app.call('commerce.orders.create', { body: { items: [{ variant_id: tea.id, quantity: 1 }], ...more }, headers });
const made = async (more: object = {}): Promise<Body> => {
  const { status, body } = await create(more);
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
};
const patch = (order: Body, body: object) => app.call('commerce.orders.update', { params: { orderID: order.id }, body });
const move = (order: Body, name: string, body: object = {}) =>
  app.call(`commerce.orders.${name}`, { params: { orderID: order.id }, body });

test('what happened, newest first, with who did it and no word of the customer', async () => {
  const order = await made({ customer_name: 'Ada Lovelace', notes: 'Ring twice' });
  await patch(order, { notes: 'Ring once' });
  await move(order, 'confirm');
  await move(order, 'cancel', { reason: 'Ada called' });
  const read = async (query: Record<string, string>) =>
    (await app.call('commerce.orders.timeline', { params: { orderID: order.id }, query })).body;
  const { items } = await read({});
  const statuses = (items as Body[]).filter(({ kind }) => kind === 'status').map(({ data }) => [data.from, data.to]);
  expect(statuses).toEqual([
    ['confirmed', 'cancelled'],
    ['pending', 'confirmed'],
  ]);
  expect((items as Body[]).at(-1)).toMatchObject({ kind: 'created', actor: `key:${app.tenant.keyId}` });
  expect(JSON.stringify(items)).not.toMatch(/Ada|Ring/);
  const first = await read({ limit: '1' });
  const second = await read({ limit: '1', cursor: first.meta.next_cursor });
  expect([first.items[0].id, second.items[0].id]).toEqual([items[0].id, items[1].id]);
});
