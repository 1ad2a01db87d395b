import { setTimeout as sleep } from 'node:timers/promises';
import { isCalm } from '../hostile-work.ts';
import type { Stage } from '../stage.ts';
import { openMessageAt } from '../victims/message.ts';
import type { Met, Victim } from '../victims/victim.ts';
import { ask, type Campaigner, openCampaigner, rate, resetProvider, started } from './campaigner.ts';
import { addPeople } from './people.ts';

/** Four of them are no more than this machine sends beside all that a campaign does. */
export const slowRate = 20;
export const slowCount = 4;
/** Recipients of one of them: at 95 % of its rate 26.3 s. */
export const slowBurst = 500;
/** All of them together: the rate of one channel by default. */
export const manyCount = 20;
export const manyRate = 4;
/** More than they take while the others are measured. */
const manyRecipients = 3_000;
/** Of each victim, far below its channel's rate: near it, one stall of the machine is a backlog for some time, calm or not. */
const victimPerSecond = 20;
const leadMs = 3_000;
const longestMs = 120_000;
const lookMs = 50;

type Sent = { seconds: number; accepted: number };
export type VictimName = 'sameOrganization' | 'otherOrganization';
export type Channels = {
  one: Sent[];
  four: Sent[];
  what: Record<VictimName, string>;
  idle: Record<VictimName, Met>[];
  busy: Record<VictimName, Met>[];
  /** What the many channels sent in a second meanwhile. */
  manyPerSecond: number[];
  isOver: boolean;
};
type Stats = { numbers: Record<string, { accepted: number }> };

/** Web, one worker and the sandbox, each a process: one channel and four, and messages beside twenty that send a campaign. */
export async function channelsBench(stage: Stage, rounds: number, seconds: number): Promise<Channels> {
  const { kanal, sandbox } = stage;
  const slow = await openCampaigner(stage, { rates: Array.from({ length: slowCount }, () => slowRate) });
  const rates = [rate, ...Array.from({ length: manyCount }, () => manyRate)];
  const many = await openCampaigner(stage, { rates, from: slowCount });
  const sending = many.channels.slice(1);
  const groupsOf = { one: slowBurst, four: slowBurst * slowCount };
  for (const [group, count] of Object.entries(groupsOf))
    await addPeople(kanal.sql, { organizationId: slow.tenant.organizationId, count, group });
  await addPeople(kanal.sql, { organizationId: many.tenant.organizationId, count: manyRecipients, group: 'many' });
  const { process: web, base } = await kanal.startWeb();
  const worker = kanal.startWorker('');
  const victims: Record<VictimName, Victim> = {
    // On the first of its channels, which has conversations.
    sameOrganization: await openMessageAt(victimPerSecond)({ ...stage, kanal: { ...kanal, tenant: many.tenant } }, base, false),
    otherOrganization: await openMessageAt(victimPerSecond)(stage, base, false),
  };
  const what = { sameOrganization: victims.sameOrganization.what, otherOrganization: victims.otherOrganization.what };
  const result: Channels = { ...{ one: [], four: [], what, idle: [], busy: [], manyPerSecond: [] }, isOver: true };

  const acceptedBy = async (channels: Campaigner['channels']) => {
    const { numbers } = await sandbox.control<Stats>('GET', '/stats');
    return channels.reduce((sum, { phoneNumberId }) => sum + numbers[phoneNumberId]!.accepted, 0);
  };
  async function sent(group: keyof typeof groupsOf, channels: Campaigner['channels']): Promise<Sent> {
    const startedAt = performance.now();
    await started(base, slow.tenant, group, channels);
    for (;;) {
      const accepted = await acceptedBy(slow.channels);
      const tookMs = performance.now() - startedAt;
      if (accepted >= groupsOf[group] || tookMs > longestMs) return { seconds: tookMs / 1000, accepted };
      await sleep(lookMs);
    }
  }
  /** One after the other: together they would be beside each other. */
  async function met(): Promise<Record<VictimName, Met>> {
    const sameOrganization = await victims.sameOrganization.round(seconds);
    return { sameOrganization, otherOrganization: await victims.otherOrganization.round(seconds) };
  }
  async function beside() {
    const id = await started(base, many.tenant, 'many', sending);
    await sleep(leadMs);
    const [before, startedAt] = [await acceptedBy(sending), performance.now()];
    result.busy.push(await met());
    result.manyPerSecond.push(((await acceptedBy(sending)) - before) / ((performance.now() - startedAt) / 1000));
    await ask(base, many.tenant, `/v1/campaigns/${id}/cancel`);
  }
  const parts = {
    one: async () => void result.one.push(await sent('one', slow.channels.slice(0, 1))),
    four: async () => void result.four.push(await sent('four', slow.channels)),
    idle: async () => void result.idle.push(await met()),
    busy: beside,
  };

  try {
    await resetProvider(stage, [slow, many]);
    for (const victim of Object.values(victims)) await victim.round(1);
    for (let number = 0; number < rounds; number += 1)
      for (const [name, part] of Object.entries(parts)) {
        for (const { organizationId } of [slow.tenant, many.tenant, kanal.tenant])
          if (!(await isCalm(kanal.sql, organizationId, base))) result.isOver = false;
        await resetProvider(stage, [slow, many]);
        await part();
        console.error(`campaign-channels: round ${number + 1}, ${name}: done`);
      }
    return result;
  } finally {
    await Promise.all([web.stop(), worker.stop()]);
  }
}
