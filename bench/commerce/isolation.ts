import { connectionPool } from '../../src/connections/use.ts';
import { poolOf } from '../../src/platform/ledger/pools.ts';
import { openHandOver } from '../hand-over.ts';
import { takeAwayWithoutWaiting } from '../hostile-work.ts';
import { type Busy, hangMs } from '../slow-provider/busy.ts';
import { type Case, measure } from '../slow-provider/run.ts';
import type { Stage } from '../stage.ts';
import { shopOf } from './shop.ts';
import { queueSyncs } from './waiting-bookings.ts';
import { queueShipments } from './waiting-shipments.ts';

/** More than a round gets through. */
const [shipments, bookings] = [100, 200];
/** As a connection is made. */
const pace = { width: 4, rate: 5 };
/** Below it: the calendar refuses, and its account waits. */
const calendarRate = 2;

/** The tenant's payments and messages, with parcels and bookings of its own beside them: the shipper hangs, the calendar is at its rate. */
export async function isolationBench(stage: Stage, rounds: number, seconds: number): Promise<Case[]> {
  const { kanal, sandbox } = stage;
  const { sql, tenant } = kanal;
  const { shipperId, calendarId } = await shopOf(kanal);
  const pools = [shipperId, calendarId].map(connectionPool);
  await sql.query('update pools set width = $3, rate = $4 where organization_id = $1 and id = any($2)', [
    ...[tenant.organizationId, pools],
    ...[pace.width, pace.rate],
  ]);
  await sandbox.control('POST', '/behaviour', { calendar_rate: calendarRate });
  await sandbox.control('POST', '/faults', {
    kind: 'delay',
    match: { method: 'POST', path: '/shipper/v1/orders' },
    times: 1_000_000_000,
    delay_ms: hangMs,
  });
  const { process: web, base } = await kanal.startWeb();
  const worker = kanal.startWorker('');
  const handOver = await openHandOver(kanal, 'default');
  const busy = {
    answerMs: hangMs,
    async work() {
      await queueShipments(kanal, shipments);
      await queueSyncs(kanal, bookings);
      for (const pool of pools) await handOver.run(poolOf(tenant.organizationId, pool));
    },
    takeAway: () => takeAwayWithoutWaiting(sql, 'organization_id = $1 and pool = any($2)', [tenant.organizationId, pools]),
  };
  const name = `${shipments} parcels whose shipper hangs, ${bookings} bookings whose calendar is at its rate`;
  const cases: Busy[] = [
    { ...busy, name, victim: 'payment' },
    { ...busy, name, victim: 'message' },
  ];
  const measured: Case[] = [];
  try {
    for (const one of cases) measured.push(await measure(stage, { base, worker }, one, rounds, seconds));
  } finally {
    await Promise.all([handOver.close(), web.stop(), worker.stop()]);
  }
  return measured;
}
