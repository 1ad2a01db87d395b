import { setTimeout as sleep } from 'node:timers/promises';
import { uuidv7 } from '../../src/platform/ids.ts';
import type { Side } from '../stage.ts';
import { isLive, takeAway } from '../take-away.ts';
import { address } from './orders.ts';
import { type Shop, shopOf } from './shop.ts';

/** More than a round converts. */
const drafts = 12_000;
const lastCommitMs = 500;

export type Line = { variant_id: string; quantity: number };

/** Drafts that wait for their conversion, each for one of a thousand people who are known; every path has its own. */
export function draftsOf(linesOf: (shop: Shop, index: number) => Line[]) {
  const waiting = new Map<Side, string[]>();
  return {
    async fill(side: Side) {
      const { sql, tenant } = side;
      const shop = await shopOf(side);
      const ids = waiting.get(side) ?? [];
      const made = Array.from({ length: drafts - ids.length }, (_, index) => ({
        id: uuidv7(),
        contact_id: tenant.people[index % tenant.people.length]!.contactId,
        content: { items: linesOf(shop, index), delivery_method_id: shop.methodId, shipping_address: address },
      }));
      await sql.query(
        `insert into draft_orders (organization_id, id, contact_id, content)
         select $1, x.id, x.contact_id, x.content from jsonb_to_recordset($2) as x(id uuid, contact_id uuid, content jsonb)`,
        [tenant.organizationId, JSON.stringify(made)],
      );
      waiting.set(side, [...ids, ...made.map(({ id }) => id)]);
      await sql.query('vacuum analyze draft_orders');
    },
    conversion(side: Side) {
      const id = waiting.get(side)!.pop();
      if (!id) throw new Error('The drafts are used up');
      const headers = { 'x-api-key': side.tenant.apiKey };
      return { method: 'POST' as const, path: `/v1/commerce/draft-orders/${id}/convert`, headers };
    },
  };
}

/** No worker runs beside it: each order's job is taken away as if its reservation had no end. */
export async function takeOrdersAway({ sql }: Side) {
  // What was cut off at the end of a round is still on its way.
  await sleep(lastCommitMs);
  await takeAway(sql, isLive);
  await sql.query('vacuum analyze jobs, orders, order_items, order_changes, product_variants, stock_movements, events');
}
