import { stateIs } from '../platform/ledger/states.ts';

/**
 * SQL: a live job of a delivery is in the pool that is not held while its endpoint is disabled, as after `release`. No `exists`, which may be
 * planned as a scan of all jobs.
 */
export const isDraining = (organizationId: string, deliveryId: string) => `
  (select true
     from jobs j
     join pools p on p.organization_id = j.organization_id and p.id = j.pool
    where j.organization_id = ${organizationId} and j.subject_id = ${deliveryId} and j.name = 'webhooks.deliver'
      and ${stateIs('j.state', 'blocked', 'waiting', 'queued')}
      and j.pool like 'endpoint:%:drain' and coalesce(p.held_until, '-infinity') <= clock_timestamp()
    limit 1) is not null`;
