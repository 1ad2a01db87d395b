import { setTimeout as sleep } from 'node:timers/promises';
import { channelPool, poolOf } from '../../src/platform/ledger/pools.ts';
import { openHandOver } from '../hand-over.ts';
import { type Hostile, openHostile, resetSandbox } from '../hostile-tenant.ts';
import { isCalm, takeHostileWorkAway } from '../hostile-work.ts';
import { createEndpoints, silentReceiver } from '../silent-receiver.ts';
import type { Stage } from '../stage.ts';
import { queueMessages } from '../tenant.ts';
import { openVictim } from '../victims/index.ts';
import type { Met, VictimName } from '../victims/victim.ts';

export type Kind = 'idle' | 'busy';
export type Case = { name: string; victim: VictimName; what: string; idle: Met[]; busy: Met[]; isOver: boolean };

const backlog = 4_000;
const endpoints = 20;
const eventsPerSecond = 10;
/** The other organization has been busy so long when the tenant's round begins. */
const leadMs = 3_000;
/** What waits for an answer is given up after so long: PROVIDER_TIMEOUT_MS and WEBHOOK_TIMEOUT_MS as they are by themselves. */
const givenUpMs = 15_000;
const hangMs = 600_000;

type Busy = {
  name: string;
  victim: VictimName;
  answerMs: number;
  /** Makes the other organization busy for that long. */
  work(seconds: number): Promise<void>;
};

/** One worker for two organizations, alternately with and without work of the other one, whose provider or receivers are slow. */
export async function slowProviderBench(stage: Stage, rounds: number, seconds: number): Promise<Case[]> {
  const { kanal } = stage;
  const hostile = await openHostile(stage);
  const { process: web, base } = await kanal.startWeb();
  const worker = kanal.startWorker('');
  const handOver = await openHandOver(kanal, 'messages');
  const send = async () => {
    await queueMessages(kanal.sql, hostile.tenant, backlog);
    await handOver.run(poolOf(hostile.tenant.organizationId, channelPool(hostile.tenant.channelId)));
  };
  const provider = (name: string, answerMs: number): Busy => ({ name, victim: 'message', answerMs, work: send });
  const cases: Busy[] = [
    provider('a channel whose provider takes 850 ms', 850),
    provider('a channel whose provider takes 8 s', 8_000),
    provider('a channel whose provider hangs', hangMs),
    {
      name: `${endpoints} endpoints that never answer`,
      victim: 'webhook',
      answerMs: hangMs,
      work: (length) => changeContacts(base, hostile, length),
    },
  ];
  const measured: Case[] = [];
  try {
    await createEndpoints(base, hostile.tenant.apiKey, endpoints);
    for (const busy of cases) {
      measured.push(await measure(stage, hostile, base, busy, rounds, seconds));
      console.error(`slow-provider: ${busy.name}: done`);
    }
  } finally {
    await handOver.close();
    await Promise.all([web.stop(), worker.stop()]);
    (await silentReceiver()).close();
  }
  return measured;
}

async function measure(stage: Stage, hostile: Hostile, base: string, busy: Busy, rounds: number, seconds: number): Promise<Case> {
  const { sql, tenant } = stage.kanal;
  await resetSandbox(stage, busy.victim === 'message' ? busy.answerMs : 0);
  const victim = await openVictim[busy.victim](stage, base, true);
  const result: Case = { name: busy.name, victim: busy.victim, what: victim.what, idle: [], busy: [], isOver: true };
  await victim.round(1);
  for (let number = 0; number < rounds; number += 1)
    for (const kind of number % 2 === 0 ? (['idle', 'busy'] as const) : (['busy', 'idle'] as const)) {
      if (!(await isCalm(sql, tenant.organizationId, base))) result.isOver = false;
      const working = kind === 'busy' ? busy.work(seconds + leadMs / 1000) : undefined;
      if (working) await sleep(leadMs);
      result[kind].push(await victim.round(seconds));
      if (!working) continue;
      await working;
      if (!(await takeHostileWorkAway(sql, [hostile.tenant.organizationId]))) result.isOver = false;
      // Runs whose rows are gone still wait for their answer.
      await sleep(Math.min(busy.answerMs, givenUpMs) + 1_000);
    }
  await victim.close();
  return result;
}

/** Each change is an event for each of the endpoints. */
async function changeContacts(base: string, { tenant }: Hostile, seconds: number) {
  for (let number = 0; number < seconds * eventsPerSecond; number += 1) {
    const response = await fetch(`${base}/v1/contacts/${tenant.people[number % tenant.people.length]!.contactId}`, {
      method: 'PATCH',
      headers: { 'x-api-key': tenant.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Name ${number} ${Date.now()}` }),
    }).catch(() => undefined);
    await response?.text();
    await sleep(1_000 / eventsPerSecond);
  }
}
