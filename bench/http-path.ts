import autocannon from 'autocannon';
import type { Path, Round } from './path.ts';
import type { Process } from './processes.ts';
import type { Side, SideName } from './stage.ts';

export const connections = 16;
type Prepared = { method: 'GET' | 'POST'; path: string; headers?: Record<string, string>; body?: string | Buffer };

/** A path of the HTTP API: a web process each side, loaded by 16 connections, each request another one. */
export const httpPath = (
  definition: Pick<Path, 'name' | 'what'> & {
    status: number;
    /** Connections; 16 if not said. */
    clients?: number;
    /** Before the first request of either side. */
    prepare?(side: Side): Promise<void>;
    request(side: Side): Prepared;
    between?(side: Side): Promise<void>;
  },
): Path => ({
  name: definition.name,
  what: definition.what,
  unit: 'requests/s',
  better: 'rate',
  async open(stage, { seconds, count, perSecond, meter }) {
    const webs = new Map<SideName, { process: Process; base: string }>();
    for (const side of [stage.kanal, stage.floor]) await definition.prepare?.(side);
    for (const side of [stage.kanal, stage.floor]) webs.set(side.name, await side.startWeb());
    const load = (side: Side, amount: { duration: number } | { amount: number; overallRate: number }) =>
      autocannon({
        url: webs.get(side.name)!.base,
        connections: definition.clients ?? connections,
        ...amount,
        requests: [{ setupRequest: (request) => ({ ...request, ...definition.request(side) }) }],
      });
    for (const side of [stage.kanal, stage.floor]) await load(side, { duration: 2 });
    if (meter) for (const side of [stage.kanal, stage.floor]) await definition.between?.(side);
    await meter?.rest([stage.kanal, stage.floor].map((side) => [side, { web: webs.get(side.name)!.process.pid }]));
    return {
      async round(side): Promise<Round> {
        const { process } = webs.get(side.name)!;
        await process.usage();
        await meter?.begin(side);
        const result = await load(side, perSecond ? { amount: count, overallRate: perSecond } : { duration: seconds });
        await meter?.end();
        const wrong = Object.entries(result.statusCodeStats ?? {}).filter(([status]) => Number(status) !== definition.status);
        if (wrong.length > 0 || result.errors > 0)
          throw new Error(`${definition.name}, ${side.name}: ${JSON.stringify(wrong)} ${result.errors}`);
        const usage = await process.usage();
        await definition.between?.(side);
        return { rate: result.requests.total / result.duration, p50: result.latency.p50, p99: result.latency.p99, usage };
      },
      async close() {
        for (const { process } of webs.values()) await process.stop();
      },
    };
  },
});
