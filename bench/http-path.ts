import autocannon from 'autocannon';
import type { Path, Round } from './path.ts';
import type { Process } from './processes.ts';
import type { Side, SideName } from './stage.ts';

export const connections = 16;
type Prepared = { method: 'GET' | 'POST'; path: string; headers?: Record<string, string>; body?: string };

/** A path of the HTTP API: a web process each side, loaded by 16 connections, each request another one. */
export const httpPath = (
  definition: Pick<Path, 'name' | 'what'> & {
    status: number;
    request(side: Side): Prepared;
    between?(side: Side): Promise<void>;
  },
): Path => ({
  name: definition.name,
  what: definition.what,
  unit: 'requests/s',
  better: 'rate',
  async open(stage, { seconds }) {
    const webs = new Map<SideName, { process: Process; base: string }>();
    for (const side of [stage.kanal, stage.floor]) webs.set(side.name, await side.startWeb());
    const load = (side: Side, duration: number) =>
      autocannon({
        url: webs.get(side.name)!.base,
        connections,
        duration,
        requests: [{ setupRequest: (request) => ({ ...request, ...definition.request(side) }) }],
      });
    for (const side of [stage.kanal, stage.floor]) await load(side, 2);
    return {
      async round(side): Promise<Round> {
        await webs.get(side.name)!.process.usage();
        const result = await load(side, seconds);
        const wrong = Object.entries(result.statusCodeStats ?? {}).filter(([status]) => Number(status) !== definition.status);
        if (wrong.length > 0 || result.errors > 0)
          throw new Error(`${definition.name}, ${side.name}: ${JSON.stringify(wrong)} ${result.errors}`);
        const usage = await webs.get(side.name)!.process.usage();
        await definition.between?.(side);
        return { rate: result.requests.total / result.duration, p50: result.latency.p50, p99: result.latency.p99, usage };
      },
      async close() {
        for (const { process } of webs.values()) await process.stop();
      },
    };
  },
});
