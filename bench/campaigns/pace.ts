import { setTimeout as sleep } from 'node:timers/promises';
import { isCalm } from '../hostile-work.ts';
import type { Stage } from '../stage.ts';
import { openMessage, openMessageAt } from '../victims/message.ts';
import type { Met } from '../victims/victim.ts';
import { ask, type Campaigner, openCampaigner, rate, resetProvider, started } from './campaigner.ts';
import { addPeople } from './people.ts';

/** Recipients of one channel: at 95 % of its rate 26.3 s. */
export const burst = 2_000;
export const channelCount = 4;
const repliesPerSecond = 10;
/** The audience is made and the campaign is at its pace before anything else begins. */
const leadMs = 3_000;
/** The feeds write in turns of about twenty: over so long these are a small part. */
const sharedMs = 18_000;
const longestMs = 90_000;
const afterPauseMs = 4_000;
const lookMs = 50;
const parts = ['one', 'two', 'four', 'replies'] as const;
type Part = (typeof parts)[number];

type Sent = { seconds: number; accepted: number };
/** A reply on the campaign's channel, and a message of another organization's. */
type Beside = { reply: Met; other: Met };
export type Pace = {
  what: { reply: string; other: string };
  one: Sent[];
  four: Sent[];
  /** Messages of the two campaigns in the same seconds. */
  two: [number, number][];
  idle: Beside[];
  busy: Beside[];
  /** What arrived after the reply to pause. */
  afterPause: number[];
  /** Of any channel and second, in all of it. */
  maxInOneSecond: number;
  isOver: boolean;
};
type Stats = { numbers: Record<string, { accepted: number; max_in_one_second: number }> };

/** Web, one worker and the sandbox, each a process. `only`: one part. */
export async function paceBench(stage: Stage, rounds: number, seconds: number, only: string): Promise<Pace> {
  const { kanal, sandbox } = stage;
  const campaigner = await openCampaigner(stage, { rates: Array.from({ length: channelCount }, () => rate) });
  const { tenant, channels } = campaigner;
  const { organizationId } = tenant;
  const [first] = channels as [Campaigner['channels'][number]];
  const groups = { one: burst, left: burst / 2, right: burst / 2, four: burst * channelCount, beside: burst };
  for (const [group, count] of Object.entries(groups)) await addPeople(kanal.sql, { organizationId, count, group });
  const { process: web, base } = await kanal.startWeb();
  const worker = kanal.startWorker('');
  const start = (group: keyof typeof groups, own = [first]) => started(base, tenant, group, own);

  const counted = async (own = channels) => {
    const { numbers } = await sandbox.control<Stats>('GET', '/stats');
    const tallies = own.map(({ phoneNumberId }) => numbers[phoneNumberId]!);
    const sum = tallies.reduce((total, { accepted }) => total + accepted, 0);
    return { accepted: sum, max: Math.max(...tallies.map(({ max_in_one_second }) => max_in_one_second)) };
  };
  async function untilAccepted(count: number, startedAt: number): Promise<Sent> {
    for (;;) {
      const { accepted } = await counted();
      const tookMs = performance.now() - startedAt;
      if (accepted >= count || tookMs > longestMs) return { seconds: tookMs / 1000, accepted };
      await sleep(lookMs);
    }
  }
  const sentOf = async (id: string) =>
    (await kanal.sql.query(`select count(*)::int as count from messages where campaign_id = $1 and status = 'sent'`, [id]))
      .rows[0].count as number;

  const reply = await openMessageAt(repliesPerSecond)({ ...stage, kanal: { ...kanal, tenant } }, base, false);
  const other = await openMessage(stage, base, false);
  const result: Pace = {
    what: { reply: reply.what, other: other.what },
    ...{ one: [], four: [], two: [], idle: [], busy: [], afterPause: [], maxInOneSecond: 0, isOver: true },
  };
  const beside = async (): Promise<Beside> => {
    const [ofReply, ofOther] = await Promise.all([reply.round(seconds), other.round(seconds)]);
    return { reply: ofReply, other: ofOther };
  };

  const run: Record<Part, () => Promise<void>> = {
    async one() {
      const startedAt = performance.now();
      await start('one');
      result.one.push(await untilAccepted(burst, startedAt));
    },
    async four() {
      const startedAt = performance.now();
      await start('four', channels);
      result.four.push(await untilAccepted(burst * channelCount, startedAt));
    },
    async two() {
      const startedAt = performance.now();
      const ids = [await start('left'), await start('right')] as const;
      await sleep(leadMs);
      const both = async (): Promise<[number, number]> => [await sentOf(ids[0]), await sentOf(ids[1])];
      const before = await both();
      await sleep(sharedMs);
      const after = await both();
      result.two.push([after[0] - before[0], after[1] - before[1]]);
      await untilAccepted(burst, startedAt);
    },
    async replies() {
      result.idle.push(await beside());
      const id = await start('beside');
      await sleep(leadMs);
      result.busy.push(await beside());
      await ask(base, tenant, `/v1/campaigns/${id}/pause`);
      const { accepted } = await counted();
      await sleep(afterPauseMs);
      result.afterPause.push((await counted()).accepted - accepted);
      await ask(base, tenant, `/v1/campaigns/${id}/cancel`);
    },
  };

  try {
    await resetProvider(stage, [campaigner]);
    for (const victim of [reply, other]) await victim.round(1);
    for (let number = 0; number < rounds; number += 1)
      for (const part of parts.filter((name) => name.includes(only))) {
        for (const own of [tenant, kanal.tenant]) if (!(await isCalm(kanal.sql, own.organizationId, base))) result.isOver = false;
        await resetProvider(stage, [campaigner]);
        await run[part]();
        const { max } = await counted();
        result.maxInOneSecond = Math.max(result.maxInOneSecond, max);
        const last = { one: result.one, four: result.four, two: result.two, replies: result.afterPause }[part].at(-1);
        console.error(`campaign-pace: round ${number + 1}, ${part}: ${JSON.stringify(last)}, ${max} in one second of ${rate}`);
      }
    if (!(await isCalm(kanal.sql, organizationId, base))) result.isOver = false;
    return result;
  } finally {
    await Promise.all([web.stop(), worker.stop()]);
  }
}
