import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import type { Usage } from './probe.ts';
import type { Process } from './processes.ts';
import type { Report } from './receiver.ts';
import type { Stage } from './stage.ts';
import { slope } from './statistics.ts';

export type Sample = { messages: number; web: Usage; worker: Usage };
export type Soak = {
  samples: Sample[];
  /** Accepted, sent, and their webhook delivered, per second. */
  perSecond: number;
  slopes: { web: number; worker: number };
  halfLoad: { perSecond: number; web: Usage; worker: Usage };
  database: { bytesAMessage: number; commitsAMessage: number; connections: number };
};

const step = 5_000;

/** Messages all the way, in steps that end with nothing left: what stays in memory after each is what does not go away. */
export async function soak(stage: Stage, total: number): Promise<Soak> {
  const { kanal, receiver, sandbox } = stage;
  await kanal.sql.query(`update webhook_endpoints set event_types = '{message.sent}'`);
  await receiver.process.ask({ reset: true, secret: kanal.tenant.endpointSecret });
  const web = await kanal.startWeb();
  const worker = kanal.startWorker('messages,bulk-messages,webhooks,webhook-retries,automations,statuses,default');
  const figures = async () => {
    const { rows } = await kanal.sql.query(
      `select pg_database_size(current_database())::float8 as size, xact_commit::float8 as commits, numbackends as connections
         from pg_stat_database where datname = current_database()`,
    );
    return rows[0] as { size: number; commits: number; connections: number };
  };
  const usages = async () => ({ web: await web.process.usage(), worker: await worker.usage() });

  await post(web.base, stage, { amount: 500 });
  await drained(stage, worker);
  const before = await figures();
  const startedAt = performance.now();
  const samples: Sample[] = [];
  let connections = 0;
  for (let messages = step; messages <= total; messages += step) {
    await post(web.base, stage, { amount: step });
    connections = Math.max(connections, (await figures()).connections);
    await drained(stage, worker);
    samples.push({ messages, ...(await usages()) });
    const { distinct, repeats, forged } = await receiver.process.ask<Report>({ secret: kanal.tenant.endpointSecret });
    if (distinct < step || repeats + forged > 0)
      throw new Error(`${distinct} of ${step} webhooks, ${repeats} twice, ${forged} forged`);
    await receiver.process.ask({ reset: true });
    await sandbox.control('DELETE', '/');
    await sandbox.control('POST', '/behaviour', { auto_status: [] });
  }
  const perSecond = total / ((performance.now() - startedAt) / 1000);
  await sleep(1_500);
  const after = await figures();

  await usages();
  await post(web.base, stage, { overallRate: Math.round(perSecond / 2), duration: 20 });
  const halfLoad = { perSecond: Math.round(perSecond / 2), ...(await usages()) };
  await drained(stage, worker);
  await Promise.all([web.process.stop(), worker.stop()]);
  const warm = samples.slice(Math.floor(samples.length / 4));
  const slopeOf = (pick: (sample: Sample) => Usage) =>
    slope(warm.map((sample) => ({ x: sample.messages / 10_000, y: pick(sample).rssMb })));
  return {
    samples,
    perSecond,
    slopes: { web: slopeOf((sample) => sample.web), worker: slopeOf((sample) => sample.worker) },
    halfLoad,
    database: {
      bytesAMessage: (after.size - before.size) / total,
      commitsAMessage: (after.commits - before.commits) / total,
      connections,
    },
  };
}

async function post(
  base: string,
  { kanal: { tenant } }: Stage,
  load: { amount?: number; overallRate?: number; duration?: number },
) {
  const setupRequest = (request: autocannon.Request): autocannon.Request => ({
    ...request,
    method: 'POST',
    path: '/v1/messages',
    headers: { 'x-api-key': tenant.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      channel_id: tenant.channelId,
      to: `+${tenant.people[Math.floor(Math.random() * tenant.people.length)]!.phone}`,
      type: 'text',
      text: { body: 'Your order is on its way' },
    }),
  });
  const result = await autocannon({ url: base, connections: 8, ...load, requests: [{ setupRequest }] });
  if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} errors`);
}

async function drained({ kanal }: Stage, worker: Process) {
  for (const until = Date.now() + 300_000; Date.now() < until; await sleep(100)) {
    const { rows } = await kanal.sql.query(`select exists (select 1 from jobs where state <> 'failed') as is_open`);
    if (!rows[0].is_open) return;
  }
  throw new Error(`The worker ${worker.pid} did not come to an end`);
}

const mb = (value: number) => value.toFixed(0);

export function soakReport({ samples, perSecond, slopes, halfLoad, database }: Soak): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const shown = samples.filter((_, index) => index % 4 === 3 || index === 0);
  return [
    `${samples.at(-1)!.messages} messages accepted, sent and their webhook delivered, ${perSecond.toFixed(0)} a second; memory after each step, nothing left to do:`,
    '',
    line(['messages', 'web RSS MB', 'worker RSS MB', 'web heap MB', 'worker heap MB']),
    line(['---', '---', '---', '---', '---']),
    ...shown.map(({ messages, web, worker }) =>
      line([String(messages), mb(web.rssMb), mb(worker.rssMb), mb(web.heapMb), mb(worker.heapMb)]),
    ),
    '',
    `RSS slope after the first quarter: web ${slopes.web.toFixed(2)} MB, worker ${slopes.worker.toFixed(2)} MB per 10,000 messages.`,
    '',
    `Event loop delay at half load (${halfLoad.perSecond} messages/s), p99: web ${halfLoad.web.loopDelayP99Ms.toFixed(1)} ms, worker ${halfLoad.worker.loopDelayP99Ms.toFixed(1)} ms.`,
    '',
    `Database: ${database.commitsAMessage.toFixed(1)} commits and ${mb(database.bytesAMessage)} bytes a message (indexes included), at most ${database.connections} connections at once.`,
  ].join('\n');
}
