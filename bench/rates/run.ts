import { setTimeout as sleep } from 'node:timers/promises';
import { channelPool, poolOf } from '../../src/platform/ledger/pools.ts';
import { openHandOver } from '../hand-over.ts';
import { openHostile, resetSandbox } from '../hostile-tenant.ts';
import { isCalm, takeHostileWorkAway } from '../hostile-work.ts';
import { silentReceiver } from '../silent-receiver.ts';
import type { Stage } from '../stage.ts';
import { queueMessages } from '../tenant.ts';
import { openVictim } from '../victims/index.ts';
import type { Met } from '../victims/victim.ts';

/** Of one channel whose rate is 80 a second: paced at 95 % of it, 26.3 s. */
export const burst = 2_000;
export const rate = 80;
/** A second of a burst that is under way at its pace before the other channel's round begins. */
const leadMs = 1_000;
const longestMs = 60_000;
const lookMs = 50;

export type Burst = {
  seconds: number;
  /** As the provider counts, in any second that slides. */
  maxInOneSecond: number;
  accepted: number;
};
export type Rates = { what: string; idle: Met[]; busy: Met[]; bursts: Burst[]; isOver: boolean };
type Stats = { numbers: Record<string, { accepted: number; max_in_one_second: number }> };

/** One worker. A round of the tenant's messages on its own channel, alternately alone and beside a burst of another organization's channel. */
export async function ratesBench(stage: Stage, rounds: number, seconds: number): Promise<Rates> {
  const { kanal, sandbox } = stage;
  const { tenant: other } = await openHostile(stage);
  const { process: web, base } = await kanal.startWeb();
  const worker = kanal.startWorker('');
  const handOver = await openHandOver(kanal, 'messages');
  const pool = poolOf(other.organizationId, channelPool(other.channelId));

  /** Until the provider has all of it. */
  async function sendBurst(): Promise<Burst> {
    await queueMessages(kanal.sql, other, burst);
    const startedAt = performance.now();
    await handOver.run(pool);
    for (;;) {
      const { numbers } = await sandbox.control<Stats>('GET', '/stats');
      const { accepted, max_in_one_second } = numbers[other.phoneNumberId]!;
      const tookMs = performance.now() - startedAt;
      if (accepted >= burst || tookMs > longestMs) return { seconds: tookMs / 1000, maxInOneSecond: max_in_one_second, accepted };
      await sleep(lookMs);
    }
  }

  try {
    await resetSandbox(stage);
    const victim = await openVictim.message(stage, base, true);
    await victim.round(1);
    const result: Rates = { what: victim.what, idle: [], busy: [], bursts: [], isOver: true };
    for (let number = 0; number < rounds; number += 1)
      for (const kind of number % 2 === 0 ? (['idle', 'busy'] as const) : (['busy', 'idle'] as const)) {
        if (!(await isCalm(kanal.sql, kanal.tenant.organizationId, base))) result.isOver = false;
        // Its counts begin anew.
        await resetSandbox(stage);
        const bursting = kind === 'busy' ? sendBurst() : undefined;
        if (bursting) await sleep(leadMs);
        result[kind].push(await victim.round(seconds));
        if (!bursting) continue;
        result.bursts.push(await bursting);
        if (!(await takeHostileWorkAway(kanal.sql, [other.organizationId]))) result.isOver = false;
        console.error(`rates: round ${number + 1}: ${result.bursts.at(-1)!.seconds.toFixed(1)} s`);
      }
    await victim.close();
    return result;
  } finally {
    await Promise.all([handOver.close(), web.stop(), worker.stop()]);
    (await silentReceiver()).close();
  }
}
