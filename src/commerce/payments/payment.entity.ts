import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times, timestamp, timestampNow } from '../../platform/database/columns.ts';

export const paymentSessionStatuses = ['creating', 'open', 'completed', 'expired', 'cancelled', 'failed', 'unknown'] as const;
export type PaymentSessionStatus = (typeof paymentSessionStatuses)[number];

export const refundStatuses = ['pending', 'succeeded', 'failed'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

/** Why a session or a refund failed: the provider's answer. */
export type PaymentFailure = { code: string; message: string; provider_code: string | null };

export const PaymentSession = defineEntity({
  name: 'PaymentSession',
  tableName: 'payment_sessions',
  properties: {
    ...tenant(),
    order_id: p.uuid(),
    connection_id: p.uuid(),
    provider: p.text(),
    reference_id: p.text(),
    status: p.enum(paymentSessionStatuses).default('creating'),
    is_unwanted: p.boolean().default(false),
    amount: p.bigint('string'),
    currency: p.text(),
    provider_session_id: p.text().strictNullable(),
    payment_method: p.text().default(''),
    checkout_url: p.text().default(''),
    success_url: p.text().default(''),
    cancel_url: p.text().default(''),
    expires_at: timestamp(),
    asked_at: timestamp().strictNullable(),
    checked_at: timestamp().strictNullable(),
    checks: p.integer().default(0),
    failure: p.json<PaymentFailure>().strictNullable(),
    ...times(),
  },
});

export const Payment = defineEntity({
  name: 'Payment',
  tableName: 'payments',
  properties: {
    ...tenant(),
    order_id: p.uuid(),
    session_id: p.uuid().strictNullable(),
    connection_id: p.uuid().strictNullable(),
    provider_payment_id: p.text().strictNullable(),
    method: p.text().default(''),
    amount: p.bigint('string'),
    currency: p.text(),
    note: p.text().default(''),
    actor: p.text().default(''),
    received_at: timestampNow(),
    ...times(),
  },
});

export const Refund = defineEntity({
  name: 'Refund',
  tableName: 'refunds',
  properties: {
    ...tenant(),
    order_id: p.uuid(),
    payment_id: p.uuid(),
    connection_id: p.uuid().strictNullable(),
    status: p.enum(refundStatuses).default('pending'),
    amount: p.bigint('string'),
    currency: p.text(),
    reason: p.text().default(''),
    provider_refund_id: p.text().strictNullable(),
    asked_at: timestamp().strictNullable(),
    failure: p.json<PaymentFailure>().strictNullable(),
    actor: p.text().default(''),
    ...times(),
  },
});
