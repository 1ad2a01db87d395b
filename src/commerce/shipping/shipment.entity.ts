import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times, timestamp } from '../../platform/database/columns.ts';
import type { JobError } from '../../platform/ledger/jobs.entity.ts';

/** The first three are live: an order has one at most. What the courier does is `provider_status`. */
export const shipmentStatuses = ['creating', 'confirmed', 'cancelling', 'cancelled', 'failed', 'delivered', 'returned'] as const;
export type ShipmentStatus = (typeof shipmentStatuses)[number];

export const shipmentConfirmStatuses = ['pending', 'confirmed', 'failed'] as const;
export type ShipmentConfirmStatus = (typeof shipmentConfirmStatuses)[number];

export const Shipment = defineEntity({
  name: 'Shipment',
  tableName: 'shipments',
  properties: {
    ...tenant(),
    order_id: p.uuid(),
    connection_id: p.uuid(),
    status: p.enum(shipmentStatuses).default('creating'),
    provider_status: p.text().default(''),
    shipper_order_id: p.text().strictNullable(),
    shipper_draft_order_id: p.text().strictNullable(),
    courier_code: p.text(),
    courier_service_code: p.text(),
    destination_area_id: p.text().default(''),
    shipper_price_idr: p.bigint('string').strictNullable(),
    tracking_number: p.text().default(''),
    tracking_url: p.text().default(''),
    confirm_status: p.enum(shipmentConfirmStatuses).default('pending'),
    confirm_error: p.text().default(''),
    last_webhook_event: p.text().default(''),
    last_webhook_status: p.text().default(''),
    asked_at: timestamp().strictNullable(),
    checked_at: timestamp().strictNullable(),
    failure: p.json<JobError>().strictNullable(),
    actor: p.text().default(''),
    ...times(),
  },
});
