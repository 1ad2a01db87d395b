import { setTimeout as sleep } from 'node:timers/promises';
import type { Path, Round } from '../path.ts';
import { type Process, startProcess } from '../processes.ts';
import type { Report } from '../receiver.ts';
import type { Side, SideName } from '../stage.ts';
import { percentile } from '../statistics.ts';

/**
 * From the event's row (written just before its commit) to the receiver's last byte, at an even pace of half the load: half of the events
 * a second that Kanal brings from commit to receiver when they come all at once, for both sides.
 */
export const latency: Path = {
  name: 'latency',
  what: 'commit to webhook received at half load',
  unit: 'ms p50',
  better: 'latency',
  async open(stage, { seconds }) {
    const processes = new Map<SideName, { emitter: Process; worker: Process }>();
    for (const side of [stage.kanal, stage.floor]) {
      await listenTo(side, ['message.sent']);
      const emitter = startProcess(side.product === 'kanal' ? 'bench/emitter.ts' : 'bench/floors/emitter.ts', side.env);
      processes.set(side.name, { emitter, worker: side.startWorker('webhooks') });
    }
    await sleep(2_500);

    async function round(side: Side, perSecond: number, count: number): Promise<Round> {
      const { emitter, worker } = processes.get(side.name)!;
      await stage.receiver.process.ask({ reset: true, secret: side.tenant.endpointSecret });
      await worker.usage();
      const { rows: before } = await side.sql.query(
        'select coalesce(max(seq), 0) as seq from events where organization_id = $1',
        [side.tenant.organizationId],
      );
      await emitter.ask({ endpointId: side.tenant.endpointId, perSecond, count });
      for (const until = Date.now() + 20_000; Date.now() < until; await sleep(50))
        if ((await stage.receiver.process.ask<Report>({ secret: side.tenant.endpointSecret })).distinct === count) break;
      const usage = await worker.usage();
      const { arrivals, distinct, forged, repeats } = await stage.receiver.process.ask<Report>({ report: true });
      if (distinct !== count || forged + repeats > 0)
        throw new Error(`latency, ${side.name}: ${distinct} of ${count}, ${forged} forged, ${repeats} twice`);
      const { rows } = await side.sql.query(
        `select id, (extract(epoch from created_at) * 1000)::float8 as at from events where organization_id = $1 and seq > $2`,
        [side.tenant.organizationId, before[0].seq],
      );
      const took = rows.map(({ id, at }) => arrivals[id]! - at);
      const [first, last] = [Math.min(...rows.map(({ at }) => at)), Math.max(...Object.values(arrivals))];
      return { rate: (count / (last - first)) * 1000, p50: percentile(took, 0.5), p99: percentile(took, 0.99), usage };
    }

    for (const side of [stage.kanal, stage.floor]) await round(side, 200, 400);
    const { rate: full } = await round(stage.kanal, 100_000, 3_000);
    const half = Math.round(full / 2);
    return {
      round: (side) => round(side, half, half * seconds),
      async close() {
        for (const { emitter, worker } of processes.values()) await Promise.all([emitter.stop(), worker.stop()]);
        for (const side of [stage.kanal, stage.floor]) await listenTo(side, []);
      },
    };
  },
};

const listenTo = ({ sql, tenant }: Side, types: string[]) =>
  sql.query('update webhook_endpoints set event_types = $1 where id = $2', [types, tenant.endpointId]);
