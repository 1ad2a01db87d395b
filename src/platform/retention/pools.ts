import { deleteOldest, type Purge } from './purge.ts';

/** Of hosts that rules called, longer ago than a failed job in one of them is kept. Those of channels and endpoints go with these. */
export const poolsPurge: Purge = {
  table: 'pools',
  tables: ['pools'],
  steps: [
    {
      days: (config) => config.retentionFailedJobsDays + 1,
      batch: deleteOldest('pools', {
        age: 'used_at',
        where: `not exists (
          select 1 from jobs j
           where j.organization_id = pools.organization_id and j.pool = pools.id and j.state in ('waiting', 'queued'))`,
      }),
    },
  ],
};
