import type { OwnTx } from '../../platform/ledger/tx.ts';
import { shipperPool } from '../delivery/shipper-pool.ts';
import { checkShipmentJob } from './jobs.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A quarter of its age: hourly at first, daily at last. */
export const nextCheckMs = (ageMs: number) => Math.min(Math.max(ageMs / 4, hourMs), dayMs);

type Of = { id: string; order_id: string; connection_id: string };

/** Without a lane: what is parked would hold up the cancellation behind it. */
export async function checkLater(tx: OwnTx, { id, order_id, connection_id }: Of): Promise<void> {
  const pool = await shipperPool(tx, connection_id);
  tx.enqueue(checkShipmentJob, { order_id, shipment_id: id }, { pool, delayMs: hourMs });
}
