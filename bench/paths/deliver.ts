import { endpointPool, poolOf } from '../../src/platform/ledger/pools.ts';
import type { Report } from '../receiver.ts';
import { queueDeliveries } from '../tenant.ts';
import { workerPath } from '../worker-path.ts';

/** Deliveries waiting for one endpoint, whose receiver checks each signature and that each id comes once. */
export const deliver = workerPath({
  name: 'deliver',
  what: 'one worker delivers webhooks, each id and signature checked',
  unit: 'webhooks/s',
  queue: 'webhooks',
  pool: ({ tenant }) => poolOf(tenant.organizationId, endpointPool(tenant.endpointId)),
  async prepare({ sql, tenant }, { receiver }, count) {
    await receiver.process.ask({ reset: true, secret: tenant.endpointSecret });
    return queueDeliveries(sql, tenant, count);
  },
  async verify(side, { receiver }, events) {
    const report = await receiver.process.ask<Report>({ report: true });
    const missing = events.filter((id) => report.arrivals[id] === undefined).length;
    if (missing + report.repeats + report.forged > 0)
      throw new Error(`deliver, ${side.name}: ${missing} missing, ${report.repeats} twice, ${report.forged} forged`);
  },
});
