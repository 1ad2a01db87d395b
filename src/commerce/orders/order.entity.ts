import { defineEntity, p } from '@mikro-orm/core';
import { computed, tenant, times, timestamp, timestampNow } from '../../platform/database/columns.ts';
import type { TakenRate } from '../delivery/quote.entity.ts';

export const orderStatuses = ['pending', 'confirmed', 'processing', 'shipped', 'completed', 'cancelled'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

export const orderPaymentStatuses = ['unpaid', 'pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'expired'] as const;
export type OrderPaymentStatus = (typeof orderPaymentStatuses)[number];

export const orderFulfillmentStatuses = ['unfulfilled', 'requested', 'shipped', 'delivered', 'returned', 'failed'] as const;
export type OrderFulfillmentStatus = (typeof orderFulfillmentStatuses)[number];

/** released: given back, before it left or after. */
export const orderStocks = ['reserved', 'committed', 'released'] as const;
export type OrderStock = (typeof orderStocks)[number];

export const orderDeliveryKinds = ['pickup', 'flat', 'live', 'none'] as const;
export type OrderDeliveryKind = (typeof orderDeliveryKinds)[number];

export type ShippingAddress = {
  address: string;
  city: string;
  district: string;
  province: string;
  area_id?: string;
  area_name?: string;
};

export const Order = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    ...tenant(),
    order_no: p.text(),
    draft_order_id: p.uuid().strictNullable(),
    contact_id: p.uuid().strictNullable(),
    status: p.enum(orderStatuses).default('pending'),
    payment_status: p.enum(orderPaymentStatuses).default('unpaid'),
    fulfillment_status: p.enum(orderFulfillmentStatuses).default('unfulfilled'),
    stock: p.enum(orderStocks).default('reserved'),
    customer_name: p.text().default(''),
    customer_email: p.text().default(''),
    customer_phone: p.text().default(''),
    checkout_uploads: p.array<string>().columnType('uuid[]').strictNullable(),
    delivery_date: p.date().strictNullable(),
    delivery_timeslot: p.text().default(''),
    delivery_timeslot_id: p.uuid().strictNullable(),
    delivery_method: p.text().default(''),
    delivery_method_id: p.uuid().strictNullable(),
    delivery_kind: p.enum(orderDeliveryKinds).default('none'),
    currency: p.text(),
    delivery_fee_amount: p.bigint('string'),
    discount_amount: p.bigint('string'),
    subtotal_amount: p.bigint('string'),
    total_amount: p.bigint('string'),
    paid_amount: p.bigint('string').defaultRaw(`0`),
    refunded_amount: p.bigint('string').defaultRaw(`0`),
    discount_id: p.uuid().strictNullable(),
    discount_code: p.text().default(''),
    payment_method: p.text().default(''),
    referral_code: p.text().default(''),
    notes: p.text().default(''),
    fulfillment_notes: p.text().default(''),
    fulfillment_carrier: p.text().default(''),
    tracking_number: p.text().default(''),
    tracking_url: p.text().default(''),
    source_reference: p.text().strictNullable(),
    shipping_address: p.json<ShippingAddress>().strictNullable(),
    quote_id: p.uuid().strictNullable(),
    rate: p.json<TakenRate>().strictNullable(),
    prepaid_deliveries_total: p.integer().strictNullable(),
    prepaid_deliveries_remaining: p.integer().strictNullable(),
    attention: p.array<string>().defaultRaw(`'{}'`),
    reserved_until: timestamp().strictNullable(),
    checkout_token: p.text().strictNullable(),
    checkout_token_hash: p.text().strictNullable(),
    cancel_reason: p.text().default(''),
    confirmed_at: timestamp().strictNullable(),
    shipped_at: timestamp().strictNullable(),
    completed_at: timestamp().strictNullable(),
    cancelled_at: timestamp().strictNullable(),
    revision: p.integer().default(1),
    search: computed(
      `(' ' || searchable(order_no || ' ' || customer_name || ' ' || customer_phone || ' ' || customer_email)) stored`,
    ),
    ...times(),
  },
});

export const OrderItem = defineEntity({
  name: 'OrderItem',
  tableName: 'order_items',
  properties: {
    ...tenant(),
    order_id: p.uuid(),
    position: p.integer(),
    product_id: p.uuid().strictNullable(),
    variant_id: p.uuid().strictNullable(),
    service_id: p.uuid().strictNullable(),
    sku: p.text(),
    name: p.text(),
    quantity: p.integer(),
    unit_amount: p.bigint('string'),
    discount_amount: p.bigint('string'),
    total_amount: p.bigint('string'),
    tracks_stock: p.boolean(),
    is_shipped: p.boolean(),
    weight_grams: p.integer().strictNullable(),
  },
});

export const OrderCounter = defineEntity({
  name: 'OrderCounter',
  tableName: 'order_counters',
  properties: {
    organization_id: p.uuid().primary(),
    last_no: p.bigint('string'),
  },
});

export const OrderChange = defineEntity({
  name: 'OrderChange',
  tableName: 'order_changes',
  properties: {
    ...tenant(),
    order_id: p.uuid(),
    kind: p.text(),
    actor: p.text().default(''),
    data: p.json<unknown>().defaultRaw(`'{}'`),
    created_at: timestampNow(),
  },
});
