import { createHash, randomBytes } from 'node:crypto';
import express from 'express';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { insertOrderStatements } from './order-rows.ts';
import { type Fields, type Item, orderColumns, shownOrder } from './order-shown.ts';
import { transactions } from './transactions.ts';

/** The order with its items, its booking with its calendar, its newest shipment and its newest session, in one statement. */
const getOrder = `select ${orderColumns.map((name) => `k.${name}`).join(', ')},
    (select json_agg(json_build_object('id', i.id, 'product_id', i.product_id, 'variant_id', i.variant_id, 'sku', i.sku, 'name', i.name,
       'quantity', i.quantity, 'unit_amount', i.unit_amount, 'discount_amount', i.discount_amount, 'total_amount', i.total_amount) order by i.position)
       from order_items i where i.organization_id = k.organization_id and i.order_id = k.id) as items,
    (select json_build_object('booking_id', b.id, 'service_id', b.service_id, 'status', b.status, 'starts_at', b.starts_at, 'ends_at', b.ends_at,
       'timezone', b.timezone, 'booking_mode', b.mode, 'booking_schedule_source', b.source, 'booking_schedule_updated_at', b.schedule_updated_at,
       'checked_in_at', b.checked_in_at, 'checkin_token_hash', b.checkin_token_hash, 'video_conference_override', b.conference,
       'staff_id', b.staff_id, 'staff_name', s.name, 'calendar_event_id', c.event_id, 'calendar_event_url', c.event_url,
       'calendar_last_synced_at', c.last_synced_at, 'calendar_sync_error', c.error, 'calendar_sync_status', c.status,
       'video_meet_url', c.meet_url, 'video_meeting_url', c.video_url)
       from bookings b join staff s on s.organization_id = b.organization_id and s.id = b.staff_id
       left join booking_calendars c on c.organization_id = b.organization_id and c.booking_id = b.id
      where b.organization_id = k.organization_id and b.order_id = k.id) as booking,
    (select row_to_json(h) from shipments h where h.organization_id = k.organization_id and h.order_id = k.id
      order by h.created_at desc, h.id desc limit 1) as shipment,
    (select json_build_object('checkout_url', p.checkout_url, 'payment_method', p.payment_method, 'payment_session_id', p.provider_session_id,
       'provider', p.provider, 'reference_id', p.reference_id, 'store_name', t.store_name, 'store_slug', t.store_slug)
       from payment_sessions p left join commerce_settings t on t.organization_id = p.organization_id
      where p.organization_id = k.organization_id and p.order_id = k.id order by p.created_at desc, p.id desc limit 1) as session
  from orders k where k.organization_id = $1 and k.id = $2`;

/** The draft with whom and how it is delivered to. */
const readDraft = `select d.content, d.order_id, c.id as contact_id, c.name, c.phone_number, c.email, m.name as method_name, m.kind as method_kind,
    m.fee_amount, m.active as method_active, s.currency, s.order_no_prefix, s.reservation_minutes
  from draft_orders d join contacts c on c.organization_id = $1 and c.id = d.contact_id
  join delivery_methods m on m.organization_id = $1 and m.id = (d.content->>'delivery_method_id')::uuid
  join commerce_settings s on s.organization_id = $1 where d.organization_id = $1 and d.id = $2`;
const readVariants = `select v.id, v.product_id, v.sku, v.name, v.service_id, v.weight_grams, v.tracks_stock, p.name as product_name, p.kind, c.amount
  from product_variants v join products p on p.organization_id = $1 and p.id = v.product_id and p.active
  join variant_prices c on c.organization_id = $1 and c.variant_id = v.id and c.currency = $3
  where v.organization_id = $1 and v.id = any($2::uuid[]) and v.active`;
const claimDraft = `update draft_orders set order_id = $3, updated_at = now() where organization_id = $1 and id = $2 and order_id is null`;
/** Locked in the order of ids, so that two orders never wait for each other. */
const reserve = `with wanted as (select * from unnest($2::uuid[], $3::bigint[]) as w(id, quantity)),
  locked as (select v.id from product_variants v where v.organization_id = $1 and v.id = any($2::uuid[]) order by v.id for no key update)
  update product_variants v set reserved = v.reserved + w.quantity from locked l join wanted w on w.id = l.id
   where v.organization_id = $1 and v.id = l.id and v.on_hand - v.reserved >= w.quantity`;

type Variant = { id: string; name: string; product_name: string; kind: string; amount: string } & Fields;

/** An order read, and one made of a draft: its stock, its number, its rows, its events and the job that ends its reservation, in one transaction. */
export function orderRoutes(app: express.Express, pool: pg.Pool, organizations: Map<string | undefined, string>) {
  const inTransaction = transactions(pool);

  app.get('/v1/commerce/orders/:id', async (req, res) => {
    const organization = organizations.get(req.get('x-api-key'));
    if (!organization) return void res.status(401).end();
    const { rows } = await pool.query({ name: 'order', text: getOrder, values: [organization, req.params.id] });
    if (!rows[0]) return void res.status(404).end();
    res.json(shownOrder(rows[0], organization));
  });

  app.post('/v1/commerce/draft-orders/:id/convert', express.json(), async (req, res) => {
    const organization = organizations.get(req.get('x-api-key'));
    if (!organization) return void res.status(401).end();
    const draftId = req.params.id!;
    const drafts = await pool.query({ name: 'draft', text: readDraft, values: [organization, draftId] });
    const [draft] = drafts.rows;
    if (!draft) return void res.status(404).end();
    if (draft.order_id) {
      const { rows } = await pool.query({ name: 'order', text: getOrder, values: [organization, draft.order_id] });
      return void res.json(shownOrder(rows[0], organization));
    }
    const given: { variant_id: string; quantity: number }[] = draft.content.items;
    const ids = given.map(({ variant_id }) => variant_id);
    const variants = await pool.query<Variant>({
      name: 'variants',
      text: readVariants,
      values: [organization, ids, draft.currency],
    });
    const lines = given.map(({ variant_id, quantity }) => ({
      variant: variants.rows.find(({ id }) => id === variant_id),
      quantity,
    }));
    if (!draft.method_active || lines.some(({ variant }) => !variant)) return void res.status(422).end();
    const items: Item[] = lines.map(({ variant, quantity }, position) => {
      const { name, product_name, kind, amount, ...taken } = variant!;
      return {
        ...taken,
        id: uuidv7(),
        variant_id: variant!.id,
        position,
        name: name ? `${product_name}, ${name}` : product_name,
        quantity,
        unit_amount: Number(amount),
        discount_amount: 0,
        total_amount: Number(amount) * quantity,
        is_shipped: kind === 'physical',
      } as Item;
    });
    const subtotal = items.reduce((sum, { total_amount }) => sum + total_amount, 0);
    const token = `co_${randomBytes(40).toString('base64url')}`;
    const id = uuidv7();
    const made = await inTransaction(async (client) => {
      const claimed = await client.query({ name: 'claim-draft', text: claimDraft, values: [organization, draftId, id] });
      if (claimed.rowCount === 0) throw new Error('Converted meanwhile');
      const byVariant = new Map<string, number>();
      for (const { variant_id, quantity } of items) byVariant.set(variant_id, (byVariant.get(variant_id) ?? 0) + quantity);
      const wanted = [[...byVariant.keys()], [...byVariant.values()]];
      const reserved = await client.query({ name: 'reserve', text: reserve, values: [organization, ...wanted] });
      if (reserved.rowCount !== byVariant.size) throw new Error('Out of stock');
      const order = {
        ...{ id, draft_order_id: draftId, contact_id: draft.contact_id, customer_name: draft.name },
        ...{ customer_email: draft.email, customer_phone: draft.phone_number, currency: draft.currency },
        ...{ delivery_method: draft.method_name, delivery_method_id: draft.content.delivery_method_id },
        ...{ delivery_kind: draft.method_kind, delivery_fee_amount: draft.fee_amount, subtotal_amount: subtotal },
        ...{ total_amount: subtotal + Number(draft.fee_amount), shipping_address: draft.content.shipping_address },
        ...{ checkout_token: token, checkout_token_hash: createHash('sha256').update(token).digest('hex') },
      };
      return insertOrderStatements(client, { organization, order, items, ...draft });
    }).catch(() => undefined);
    if (!made) return void res.status(409).end();
    res.status(201).json(shownOrder({ ...made, items, booking: null, shipment: null, session: null }, organization));
  });
}
