import { expect, test } from '@jest/globals';
import { type Body, type Reply, useApp } from '../../support/app.ts';
import { variant } from '../../support/factories/sold.ts';
import { stockOfVariant } from '../../support/stored/commerce.ts';

const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });

const stock = 100;
const buyers = 200;

test('200 conversions at once of 100 pieces, a third of them of two lines: all pieces are sold, none twice', async () => {
  const { id } = await variant(app, { stock });
  const line = { variant_id: id, quantity: 1 };
  const drafts: Body[] = [];
  for (let index = 0; index < buyers; index += 1) {
    const { status, body } = await app.call('commerce.draft-orders.create', {
      body: { items: index % 3 === 0 ? [line, line] : [line] },
    });
    expect(status).toBe(201);
    drafts.push(body);
  }
  const convert = (draft: Body): Promise<Reply> =>
    app.call('commerce.draft-orders.convert', { params: { draftOrderID: draft.id } });
  const replies = await Promise.all(drafts.map(convert));

  const made = replies.filter(({ status }) => status === 201).map(({ body }) => body);
  const refused = replies.filter(({ status }) => status !== 201);
  const pieces = made.reduce((sum, { items }) => sum + items.length, 0);
  for (const { status, body } of refused) {
    expect([status, body.error.code]).toEqual([409, 'out_of_stock']);
    expect(body.error.details).toHaveLength(1);
    expect(['0', '1']).toContain(body.error.details[0].value);
  }
  expect([stock - 1, stock]).toContain(pieces);
  expect(await stockOfVariant(app, id)).toEqual({
    on_hand: stock,
    reserved: pieces,
  });
  const sold = await app.one(
    `select coalesce(sum(i.quantity), 0)::int as pieces, count(distinct o.id)::int as orders, count(distinct o.order_no)::int as numbers
       from orders o
       join order_items i on i.organization_id = o.organization_id and i.order_id = o.id
      where o.organization_id = $1 and o.status <> 'cancelled'`,
    [app.tenant.organizationId],
  );
  expect(sold).toEqual({ pieces, orders: made.length, numbers: made.length });
  // No half order: a refused draft is as it was, and a converted one has its order.
  const halves = await app.rows(
    `select d.id
       from draft_orders d
       left join orders o on o.organization_id = d.organization_id and o.draft_order_id = d.id
      where d.organization_id = $1 and d.order_id is distinct from o.id`,
    [app.tenant.organizationId],
  );
  expect(halves).toEqual([]);
  if (pieces === stock - 1) {
    const singles = refused.filter((reply) => drafts[replies.indexOf(reply)]!.items.length === 1);
    expect(singles).toEqual([]);
  }
});

test('one draft converted 20 times at once is one order', async () => {
  const { id } = await variant(app, { stock: 10 });
  const { body: draft } = await app.call('commerce.draft-orders.create', { body: { items: [{ variant_id: id, quantity: 2 }] } });
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => app.call('commerce.draft-orders.convert', { params: { draftOrderID: draft.id } })),
  );
  expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
  expect((await stockOfVariant(app, id)).reserved).toBe(2);
});
