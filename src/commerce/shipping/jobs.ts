import Joi from 'joi';
import { connectionDeleted } from '../../connections/deleted.ts';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';

/** Loaded with the first end of a job: a process that becomes ready needs the contracts alone. */
const ends = () => import('./failed.ts');

export type ShipmentPayload = { order_id: string; shipment_id: string };
const payload = Joi.object({ order_id: uuid, shipment_id: uuid });

/** The shipper takes one order of a reference: a run after a lost answer adopts it. SQL: `openSubjects` is a part of the statement of `jobs check`. */
export const createShipmentJob = job<ShipmentPayload>({
  name: 'commerce.create-shipment',
  queue: 'default',
  payload,
  subjectType: 'order',
  subject: 'order_id',
  delayMs: backoff(8),
  operation: true,
  failed: async ({ own }, { order_id, shipment_id }, error) => (await ends()).creationFailed(own, order_id, shipment_id, error),
  revived: async ({ own }, { order_id, shipment_id }) => (await ends()).creationRevived(own, order_id, shipment_id),
  mayOutliveSubject: true,
  openSubjects: `
    select organization_id, order_id as id
      from shipments
     where status = 'creating' and failure is null`,
});

export const cancelShipmentJob = job<ShipmentPayload>({
  name: 'commerce.cancel-shipment',
  queue: 'default',
  payload,
  subjectType: 'order',
  subject: 'order_id',
  delayMs: backoff(8),
  operation: true,
  failed: async ({ own }, { order_id, shipment_id }, error) => (await ends()).cancelFailed(own, order_id, shipment_id, error),
  revived: async ({ own }, { order_id, shipment_id }) => (await ends()).cancelRevived(own, order_id, shipment_id),
  mayOutliveSubject: true,
  openSubjects: `
    select organization_id, order_id as id
      from shipments
     where status = 'cancelling'`,
});

/** While the shipper cannot be asked, it is asked again: a shipment is looked at until it ends. */
const againMs = 600_000;

/** A webhook that was lost costs an hour. */
export const checkShipmentJob = job<ShipmentPayload>({
  name: 'commerce.check-shipment',
  queue: 'default',
  payload,
  subjectType: 'order',
  subject: 'order_id',
  delayMs: () => againMs,
  operation: false,
  failed: async () => {},
  revived: async () => {},
  mayOutliveSubject: true,
  openSubjects: `
    select organization_id, order_id as id
      from shipments
     where status = 'confirmed' and coalesce(failure->>'code', '') <> '${connectionDeleted.code}'`,
});
