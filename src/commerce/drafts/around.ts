import type { Contact } from '../../contacts/contact.entity.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { PaymentProviderName } from '../../providers/payment/provider.ts';
import type { Discount } from '../catalogue/discount.entity.ts';
import type { Product, ProductVariant } from '../catalogue/product.entity.ts';
import type { DeliveryMethod, DeliveryTimeslot } from '../delivery/method.entity.ts';
import type { CommerceSettings } from '../settings.entity.ts';
import type { NewOrder } from './content.ts';

export type AroundVariant = RowOf<
  typeof ProductVariant,
  'id' | 'product_id' | 'sku' | 'name' | 'service_id' | 'weight_grams' | 'tracks_stock' | 'prepaid_deliveries'
> &
  RowOf<typeof Product, 'kind'> & {
    product_name: string;
    is_active: boolean;
    /** By currency. A number is exact: a check of the table bounds it. */
    prices: Record<string, number>;
  };
/** Amounts are numbers, as JSON has them. */
export type AroundMethod = RowOf<typeof DeliveryMethod, 'id' | 'name' | 'kind' | 'currency' | 'lead_days' | 'active'> & {
  fee_amount: number;
  free_from_amount: number | null;
};
export type AroundSlot = RowOf<typeof DeliveryTimeslot, 'id' | 'method_id' | 'label' | 'weekdays'>;
export type AroundDiscount = RowOf<typeof Discount, 'code' | 'kind' | 'currency'> & {
  value: number;
  min_subtotal: number;
  /** Active, in its time, not used up. */
  is_usable: boolean;
  /** Contacts of the orders who have used it as often as they may. */
  used_up_by: string[];
};
export type AroundContact = RowOf<typeof Contact, 'id' | 'name' | 'phone_number' | 'email'>;

/** What orders are made of, as it is now. */
export type Around = RowOf<typeof CommerceSettings, 'currency' | 'order_no_prefix' | 'reservation_minutes' | 'confirm_on'> & {
  /** In the zone of the store. */
  today: string;
  variants: AroundVariant[];
  methods: AroundMethod[];
  slots: AroundSlot[];
  discounts: AroundDiscount[];
  contacts: AroundContact[];
  assets: string[];
  /** Of the connected payment accounts. */
  payment_providers: PaymentProviderName[];
};

/** SQL: the lists of eleven tables, each by its key, in one round trip for an order or for a page of drafts. */
const readAround = `
  with settings as (
    select s.currency, s.order_no_prefix, s.reservation_minutes, s.confirm_on, s.timezone
      from commerce_settings s
     where s.organization_id = $1
     union all
    select 'USD', '', 30, 'payment', 'UTC'
     where not exists (select 1 from commerce_settings s where s.organization_id = $1))
  select s.currency, s.order_no_prefix, s.reservation_minutes, s.confirm_on,
         (statement_timestamp() at time zone s.timezone)::date::text as today,
         (select coalesce(jsonb_agg(jsonb_build_object(
                   'id', v.id, 'product_id', v.product_id, 'sku', v.sku, 'name', v.name, 'product_name', p.name, 'kind', p.kind,
                   'is_active', v.active and p.active, 'service_id', v.service_id, 'weight_grams', v.weight_grams,
                   'tracks_stock', v.tracks_stock, 'prepaid_deliveries', v.prepaid_deliveries,
                   'prices', (select coalesce(jsonb_object_agg(c.currency, c.amount), '{}')
                                from variant_prices c
                               where c.organization_id = $1 and c.variant_id = v.id))), '[]')
            from product_variants v
            join products p on p.organization_id = v.organization_id and p.id = v.product_id
           where v.organization_id = $1 and v.id = any($2::uuid[])) as variants,
         (select coalesce(jsonb_agg(jsonb_build_object(
                   'id', m.id, 'name', m.name, 'kind', m.kind, 'currency', m.currency, 'fee_amount', m.fee_amount,
                   'free_from_amount', m.free_from_amount, 'lead_days', m.lead_days, 'active', m.active)), '[]')
            from delivery_methods m
           where m.organization_id = $1 and m.id = any($3::uuid[])) as methods,
         (select coalesce(jsonb_agg(jsonb_build_object(
                   'id', t.id, 'method_id', t.method_id, 'label', t.label, 'weekdays', t.weekdays)), '[]')
            from delivery_timeslots t
           where t.organization_id = $1 and t.id = any($4::uuid[])) as slots,
         (select coalesce(jsonb_agg(jsonb_build_object(
                   'code', d.code, 'kind', d.kind, 'value', d.value, 'currency', d.currency, 'min_subtotal', d.min_subtotal,
                   'is_usable', d.active
                                and coalesce(d.starts_at <= statement_timestamp(), true)
                                and coalesce(d.ends_at > statement_timestamp(), true)
                                and coalesce(d.uses < d.max_uses, true),
                   'used_up_by', (select coalesce(jsonb_agg(c), '[]')
                                    from unnest($6::uuid[]) c
                                   where d.max_uses_per_contact <= (
                                           select count(*)
                                             from discount_uses u
                                            where u.organization_id = $1 and u.contact_id = c and u.discount_id = d.id)))), '[]')
            from discounts d
           where d.organization_id = $1 and upper(d.code) = any($5::text[])) as discounts,
         (select coalesce(jsonb_agg(jsonb_build_object(
                   'id', c.id, 'name', c.name, 'phone_number', c.phone_number, 'email', c.email)), '[]')
            from contacts c
           where c.organization_id = $1 and c.id = any($6::uuid[])) as contacts,
         (select coalesce(jsonb_agg(a.id), '[]')
            from media_assets a
           where a.organization_id = $1 and a.id = any($7::uuid[]) and a.deleted_at is null) as assets,
         (select coalesce(jsonb_agg(distinct n.provider), '[]')
            from connections n
           where n.organization_id = $1 and n.kind = 'payment' and n.status = 'connected' and n.deleted_at is null) as payment_providers
    from settings s`;

const all = <Value>(orders: NewOrder[], pick: (order: NewOrder) => (Value | null | undefined)[]): Value[] => [
  ...new Set(orders.flatMap((order) => pick(order).filter((value) => value !== undefined && value !== null))),
];

/** For all of them at once. */
export async function lookAround(own: Own, orders: NewOrder[]): Promise<Around> {
  const [around] = await own.sql<Around>(readAround, [
    all(orders, ({ items = [] }) => items.map(({ variant_id }) => variant_id)),
    all(orders, ({ delivery_method_id }) => [delivery_method_id]),
    all(orders, ({ delivery_timeslot_id }) => [delivery_timeslot_id]),
    all(orders, ({ discount_code }) => [discount_code?.toUpperCase()]),
    all(orders, ({ contact_id }) => [contact_id]),
    all(orders, ({ checkout_uploads = [] }) => checkout_uploads),
  ]);
  return around!;
}
