import { defineEntity, p } from '@mikro-orm/core';
import { tenant, timestamp, timestampNow } from '../../platform/database/columns.ts';
import type { JobError } from '../../platform/ledger/jobs.entity.ts';

export const quoteStatuses = ['pending', 'ready', 'failed'] as const;
export type QuoteStatus = (typeof quoteStatuses)[number];

/** No street: the shipper's price does not depend on it. */
export type QuoteDestination = { area_id: string; postal_code?: string };

/** `value_idr`: of one piece, in whole rupiah, as the shipper counts. Weight and value of what is not shipped are 0. */
export type QuoteItem = {
  variant_id: string;
  name: string;
  quantity: number;
  weight_grams: number;
  value_idr: number;
  is_shipped: boolean;
};

/** The id is ours. `fee_amount`: in minor units of `currency`. */
export type QuoteRate = {
  id: string;
  courier_code: string;
  courier_name: string;
  courier_service_code: string;
  courier_service_name: string;
  duration: string;
  shipper_price_idr: number;
  fee_amount: number;
  currency: 'IDR';
};

/** As an order keeps it. */
export type TakenRate = QuoteRate & { connection_id: string };

export const Quote = defineEntity({
  name: 'Quote',
  tableName: 'quotes',
  properties: {
    ...tenant(),
    connection_id: p.uuid(),
    status: p.enum(quoteStatuses).default('pending'),
    destination: p.json<QuoteDestination>(),
    items: p.json<QuoteItem[]>(),
    rates: p.json<QuoteRate[]>().defaultRaw(`'[]'`),
    failure: p.json<JobError>().strictNullable(),
    expires_at: timestamp(),
    created_at: timestampNow(),
  },
});
