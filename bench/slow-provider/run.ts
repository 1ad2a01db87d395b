import { setTimeout as sleep } from 'node:timers/promises';
import { channelPool, poolOf } from '../../src/platform/ledger/pools.ts';
import { openHandOver } from '../hand-over.ts';
import { openHostile, resetSandbox } from '../hostile-tenant.ts';
import { isCalm, takeHostileWorkAway } from '../hostile-work.ts';
import { type Load, meterLoad } from '../load.ts';
import type { Process } from '../processes.ts';
import { silentReceiver } from '../silent-receiver.ts';
import type { Stage } from '../stage.ts';
import { queueMessages } from '../tenant.ts';
import { openVictim } from '../victims/index.ts';
import type { Met, VictimName } from '../victims/victim.ts';
import { type Busy, hangMs, leadMs } from './busy.ts';
import { openEndpointCases } from './endpoint-cases.ts';

export type Kind = 'idle' | 'busy';
export type Round = Met & { load: Load };
export type Case = { name: string; victim: VictimName; what: string; idle: Round[]; busy: Round[]; isOver: boolean };

/** A prompt provider takes 76 a second of them: more than a round long. */
const backlog = 2_000;
const slowBacklog = 4_000;
/** What waits for an answer is given up after so long: PROVIDER_TIMEOUT_MS and WEBHOOK_TIMEOUT_MS as they are by themselves. */
const givenUpMs = 15_000;

/** One worker, alternately with and without work beside the tenant's: of another organization, or for another endpoint of its own. */
export async function slowProviderBench(stage: Stage, rounds: number, seconds: number, only: string): Promise<Case[]> {
  const { kanal } = stage;
  const hostile = await openHostile(stage);
  const { process: web, base } = await kanal.startWeb();
  const worker = kanal.startWorker('');
  const handOver = await openHandOver(kanal, 'messages');
  const takeAwayHostile = () => takeHostileWorkAway(kanal.sql, [hostile.tenant.organizationId]);
  const endpoints = await openEndpointCases(stage, base, hostile, takeAwayHostile);
  const send = async (count: number) => {
    await queueMessages(kanal.sql, hostile.tenant, count);
    await handOver.run(poolOf(hostile.tenant.organizationId, channelPool(hostile.tenant.channelId)));
  };
  const provider = (name: string, victim: VictimName, answerMs: number, count = slowBacklog): Busy => ({
    name,
    victim,
    answerMs,
    work: () => send(count),
    takeAway: takeAwayHostile,
  });
  const measured: Case[] = [];
  try {
    const cases: Busy[] = [
      provider(`another channel's backlog of ${backlog} messages`, 'message', 0, backlog),
      provider(`a channel's backlog of ${backlog} messages`, 'webhook', 0, backlog),
      provider('a channel whose provider takes 850 ms', 'message', 850),
      provider('a channel whose provider takes 8 s', 'message', 8_000),
      provider('a channel whose provider hangs', 'message', hangMs),
      ...endpoints.cases,
    ];
    for (const busy of cases.filter(({ name }) => name.includes(only))) {
      await resetSandbox(stage, busy.victim === 'message' ? busy.answerMs : 0);
      measured.push(await measure(stage, { base, worker }, busy, rounds, seconds));
      console.error(`slow-provider: ${busy.name}: done`);
    }
  } finally {
    await Promise.all([handOver.close(), endpoints.close(), web.stop(), worker.stop()]);
    (await silentReceiver()).close();
  }
  return measured;
}

type Product = { base: string; worker: Process };

/** Rounds in turns without and with the other work. */
export async function measure(
  stage: Stage,
  { base, worker }: Product,
  busy: Busy,
  rounds: number,
  seconds: number,
): Promise<Case> {
  const { sql, tenant } = stage.kanal;
  const victim = await openVictim[busy.victim](stage, base, true);
  const result: Case = { name: busy.name, victim: busy.victim, what: victim.what, idle: [], busy: [], isOver: true };
  await victim.round(1);
  for (let number = 0; number < rounds; number += 1)
    for (const kind of number % 2 === 0 ? (['idle', 'busy'] as const) : (['busy', 'idle'] as const)) {
      if (!(await isCalm(sql, tenant.organizationId, base))) result.isOver = false;
      const working = kind === 'busy' ? busy.work(seconds + leadMs / 1000) : undefined;
      if (working) await sleep(leadMs);
      const metered = await meterLoad(worker);
      const met = await victim.round(seconds);
      result[kind].push({ ...met, load: await metered() });
      if (!working) continue;
      await working;
      if (!(await busy.takeAway())) result.isOver = false;
      // Runs whose rows are gone still wait for their answer.
      await sleep(Math.min(busy.answerMs, givenUpMs) + 1_000);
    }
  await victim.close();
  return result;
}
