import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { variant } from '../../support/factories/sold.ts';
import { storedOrders } from '../../support/stored/commerce.ts';

const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });

beforeAll(async () => {});

describe('list', () => {
  test('filters, search and order, page by page', async () => {
    const shop = await app.organization();
    const item = await variant(app, { organizationId: shop.organizationId });
    const of = (more: object) =>
      app.call('commerce.orders.create', { key: shop.key, body: { items: [{ variant_id: item.id, quantity: 1 }], ...more } });
    const day = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10);
    const orders: Body[] = [];
    for (const more of [
      { customer_name: 'Grace Hopper', customer_phone: '+16505550301', delivery_date: day(5) },
      { customer_name: 'Alan Turing', customer_email: 'alan@example.com', delivery_date: day(3) },
      { customer_name: 'Edsger Dijkstra' },
    ])
      orders.push((await of(more)).body);
    const [grace, alan, edsger] = orders as [Body, Body, Body];
    await app.call('commerce.orders.confirm', { key: shop.key, params: { orderID: alan.id }, body: {} });
    await storedOrders.change(app, edsger.id, { attention: ['overpaid'] });
    const list = async (query: Record<string, unknown>) => {
      const text = Object.fromEntries(
        Object.entries(query).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
      );
      const { status, body } = await app.call('commerce.orders.list', { key: shop.key, query: text });
      expect([status, body.error]).toEqual([200, undefined]);
      return body;
    };
    const ids = async (query: Record<string, unknown>) => (await list(query)).items.map(({ id }: Body) => expectId(id));
    const expectId = (id: string) => id;
    expect(await ids({})).toEqual([edsger.id, alan.id, grace.id]);
    expect(await ids({ filters: [{ field: 'status', value: 'confirmed' }] })).toEqual([alan.id]);
    expect(await ids({ filters: [{ field: 'payment_status', value: 'paid' }] })).toEqual([]);
    expect(await ids({ filters: [{ field: 'fulfillment_status', value: 'unfulfilled' }], sort: 'created_at' })).toHaveLength(3);
    expect(await ids({ filters: [{ field: 'contact_id', value: grace.contact_id }] })).toEqual([grace.id]);
    expect(await ids({ filters: [{ field: 'order_no', value: edsger.order_no }] })).toEqual([edsger.id]);
    expect(await ids({ filters: [{ field: 'attention', value: 'overpaid' }] })).toEqual([edsger.id]);
    expect(await ids({ filters: [{ field: 'attention', operator: 'is_empty' }] })).toEqual([alan.id, grace.id]);
    expect(await ids({ filters: [{ field: 'attention', operator: 'is_not_empty' }] })).toEqual([edsger.id]);
    expect(await ids({ filters: [{ field: 'delivery_date', value: day(5) }] })).toEqual([grace.id]);
    expect(await ids({ filters: [{ field: 'created_at', operator: 'gt', value: '2020-01-01' }] })).toHaveLength(3);
    expect(await ids({ search: 'turing' })).toEqual([alan.id]);
    expect(await ids({ search: 'alan@example.com' })).toEqual([alan.id]);
    expect(await ids({ search: '+1 650 555 0301' })).toEqual([grace.id]);
    expect(await ids({ search: edsger.order_no })).toContain(edsger.id);
    expect(await ids({ sort: 'delivery_date' })).toEqual([alan.id, grace.id, edsger.id]);
    const first = await list({ sort: 'delivery_date', limit: 1 });
    const second = await list({ sort: 'delivery_date', limit: 1, cursor: first.meta.next_cursor });
    const third = await list({ sort: 'delivery_date', limit: 1, cursor: second.meta.next_cursor });
    expect([first, second, third].map(({ items }) => items[0].id)).toEqual([alan.id, grace.id, edsger.id]);
    expect((await list({ include_total: 'true' })).meta.total).toBe(3);
  });
});
