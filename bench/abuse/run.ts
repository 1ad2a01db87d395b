import { setTimeout as sleep } from 'node:timers/promises';
import { cpuUsOf, familyCpuUs } from '../cost/cpu.ts';
import { type Hostile, openHostile, resetSandbox } from '../hostile-tenant.ts';
import { isCalm, takeHostileWorkAway } from '../hostile-work.ts';
import { residentMb, watchMemory } from '../memory.ts';
import type { Usage } from '../probe.ts';
import { type Process, startProcess } from '../processes.ts';
import { silentReceiver } from '../silent-receiver.ts';
import type { Stage } from '../stage.ts';
import { median } from '../statistics.ts';
import { openVictim } from '../victims/index.ts';
import type { Met, Victim } from '../victims/victim.ts';
import type { Abuse } from './abuse.ts';
import { abuses } from './index.ts';

/** `stranger`: beside processes that take as much of the processors as the hostile client made Kanal take, and never speak to it. */
export type Kind = 'calm' | 'hostile' | 'stranger';
export type Round = {
  kind: Kind;
  met: Met[];
  usages: Usage[];
  answers: Record<string, number>;
  /** What each process of the round took, in cores; the hostile client is `client`. */
  cores: Record<string, number>;
  /** False: what this round left behind had not ended a minute after it, so the next one did not begin calm. */
  isOver: boolean;
};
export type Memory = { beforeMb: number; peakMb: number; afterMb: number; afterSeconds: number };
export type Suffered = {
  abuse: Abuse;
  victims: Pick<Victim, 'name' | 'what'>[];
  processes: string[];
  rounds: Round[];
  memory: Memory[];
};

/** The hostile client has been at it so long when the tenant's round begins. */
const leadMs = 1_500;
const startMs = 2_500;
const backWithinMb = 50;
const longestWaitMs = 60_000;
/** The strangers share what they take: the work of a hostile client is done in more than one process, too. */
const strangers = 2;
/** Two calm rounds differ by as much. */
const leastCores = 0.05;
const lookEverySeconds = 5;

/** Each hostile client of `only` (all: none named) beside the tenant, by turns without it, with it and with strangers, in processes made for it. */
export async function abuseBench(stage: Stage, only: number[], rounds: number, seconds: number): Promise<Suffered[]> {
  const hostile = await openHostile(stage);
  const suffered: Suffered[] = [];
  try {
    for (const abuse of abuses.filter(({ number }) => only.length === 0 || only.includes(number))) {
      suffered.push(await suffer(stage, hostile, abuse, rounds, seconds));
      console.error(`${abuse.finding}: ${abuse.what}: done`);
    }
  } finally {
    (await silentReceiver()).close();
  }
  return suffered;
}

async function suffer(stage: Stage, hostile: Hostile, abuse: Abuse, rounds: number, seconds: number): Promise<Suffered> {
  const { kanal } = stage;
  await resetSandbox(stage);
  const { process: web, base } = await kanal.startWeb();
  const worker = abuse.hasWorker ? kanal.startWorker('') : undefined;
  const attacker = startProcess('bench/abuse/hostile.ts', {});
  const others = Array.from({ length: strangers }, () => startProcess('bench/abuse/stranger.ts', {}));
  const measured = worker ? [web, worker] : [web];
  const cpu = () => ({
    web: cpuUsOf(web.pid),
    ...(worker && { worker: cpuUsOf(worker.pid) }),
    postgres: familyCpuUs(stage.servers.postgres),
    client: cpuUsOf(attacker.pid),
  });
  const victims: Victim[] = [];
  const watch = watchMemory(measured);
  const result: Suffered = { abuse, victims, processes: worker ? ['web', 'worker'] : ['web'], rounds: [], memory: [] };
  const organizationIds = [hostile.tenant.organizationId];
  const over = async () => {
    const isAway = await takeHostileWorkAway(kanal.sql, organizationIds);
    return (await isCalm(kanal.sql, kanal.tenant.organizationId, base)) && isAway;
  };
  try {
    // A worker that starts takes the time of whoever is measured.
    if (worker) await sleep(startMs);
    const target = await abuse.prepare({ base, kanal, hostile });
    for (const name of abuse.victims) victims.push(await openVictim[name](stage, base, abuse.victims.length === 1));
    const order = { start: { number: abuse.number, what: abuse.what, target } };
    // What a process does only once must not count in the first rounds.
    for (const victim of victims) await victim.round(1);
    await Promise.all(victims.map((victim) => victim.round(seconds)));
    const before = await residentMb(measured);
    await attacker.ask(order);
    await sleep(2 * leadMs);
    await attacker.ask({ stop: true });
    await over();
    for (let number = 0; number < rounds; number += 1)
      for (const kind of number % 2 === 0
        ? (['calm', 'hostile', 'stranger'] as const)
        : (['stranger', 'hostile', 'calm'] as const)) {
        await usagesOf(measured);
        if (kind === 'hostile') await attacker.ask(order);
        if (kind === 'stranger') await Promise.all(others.map((one) => one.ask({ cores: takenBy(result.rounds) / strangers })));
        if (kind !== 'calm') await sleep(leadMs);
        const [startedAt, spent] = [performance.now(), cpu()];
        const met = await Promise.all(victims.map((victim) => victim.round(seconds)));
        const cores = coresOf(spent, cpu(), performance.now() - startedAt);
        const { counts } =
          kind === 'hostile' ? await attacker.ask<{ counts: Record<string, number> }>({ stop: true }) : { counts: {} };
        if (kind === 'stranger') await Promise.all(others.map((one) => one.ask({ stop: true })));
        const usages = await usagesOf(measured);
        result.rounds.push({ kind, met, usages, answers: counts, cores, isOver: await over() });
      }
    result.memory = await memoryAfter(measured, victims, before, watch.peaks);
  } finally {
    watch.stop();
    for (const victim of victims) await victim.close();
    await Promise.all([attacker, web, worker, ...others].map((one) => one?.stop()));
    await takeHostileWorkAway(kanal.sql, organizationIds);
  }
  return result;
}

/** Cores that Kanal and its database took in the hostile rounds beyond the calm ones. The client has the lowest priority, and is none of them. */
function takenBy(rounds: Round[]): number {
  const of = (kind: Kind) =>
    median(
      rounds
        .filter((round) => round.kind === kind)
        .map(({ cores: { client: _, ...taken } }) => Object.values(taken).reduce((sum, one) => sum + one, 0)),
    );
  return Math.max(leastCores, of('hostile') - of('calm'));
}

const coresOf = (before: Record<string, number>, after: Record<string, number>, ms: number) =>
  Object.fromEntries(Object.entries(after).map(([name, us]) => [name, (us - before[name]!) / (ms * 1000)]));

const usagesOf = (processes: Process[]) => Promise.all(processes.map((process) => process.usage()));

/** The tenant goes on as before: memory that nobody uses is given back by a process that works, not by one that sleeps. */
async function memoryAfter(processes: Process[], victims: Victim[], before: number[], peaks: () => number[]): Promise<Memory[]> {
  const startedAt = performance.now();
  const back: Memory[] = [];
  for (;;) {
    await Promise.all(victims.map((victim) => victim.round(lookEverySeconds)));
    const now = await residentMb(processes);
    const afterSeconds = Math.round((performance.now() - startedAt) / 1000);
    for (const [index, afterMb] of now.entries())
      if (!back[index] || back[index].afterMb > before[index]! + backWithinMb)
        back[index] = { beforeMb: before[index]!, peakMb: Math.max(peaks()[index]!, afterMb), afterMb, afterSeconds };
    if (performance.now() - startedAt > longestWaitMs) return back;
    if (back.every(({ beforeMb, afterMb }) => afterMb <= beforeMb + backWithinMb)) return back;
  }
}
