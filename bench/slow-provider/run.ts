import { setTimeout as sleep } from 'node:timers/promises';
import { channelPool, endpointPool, poolOf } from '../../src/platform/ledger/pools.ts';
import { openHandOver } from '../hand-over.ts';
import { type Hostile, openHostile, resetSandbox } from '../hostile-tenant.ts';
import { isCalm, takeHostileWorkAway } from '../hostile-work.ts';
import { createEndpoints, silentReceiver } from '../silent-receiver.ts';
import type { Stage } from '../stage.ts';
import { takeAway } from '../take-away.ts';
import { queueMessages } from '../tenant.ts';
import { openVictim } from '../victims/index.ts';
import type { Met, VictimName } from '../victims/victim.ts';

export type Kind = 'idle' | 'busy';
export type Case = { name: string; victim: VictimName; what: string; idle: Met[]; busy: Met[]; isOver: boolean };

/** A prompt provider takes 76 a second of them: more than a round long. */
const backlog = 2_000;
const slowBacklog = 4_000;
const endpoints = 20;
const eventsPerSecond = 10;
/** The other work has gone on so long when the tenant's round begins. */
const leadMs = 3_000;
/** What waits for an answer is given up after so long: PROVIDER_TIMEOUT_MS and WEBHOOK_TIMEOUT_MS as they are by themselves. */
const givenUpMs = 15_000;
const hangMs = 600_000;

type Busy = {
  name: string;
  victim: VictimName;
  /** Of what is busy beside the tenant: how long a run may wait for an answer. */
  answerMs: number;
  /** Begins the other work, which lasts at least so long; resolves when no more of it comes. */
  work(seconds: number): Promise<void>;
  /** False: something holds on to what it left. */
  takeAway(): Promise<boolean>;
};

/** One worker, alternately with and without work beside the tenant's: of another organization, or for another endpoint of its own. */
export async function slowProviderBench(stage: Stage, rounds: number, seconds: number, only: string): Promise<Case[]> {
  const { kanal } = stage;
  const hostile = await openHostile(stage);
  const { process: web, base } = await kanal.startWeb();
  const worker = kanal.startWorker('');
  const handOver = await openHandOver(kanal, 'messages');
  const takeAwayHostile = () => takeHostileWorkAway(kanal.sql, [hostile.tenant.organizationId]);
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
    await createEndpoints(base, hostile.tenant.apiKey, endpoints);
    const cases: Busy[] = [
      provider(`another channel's backlog of ${backlog} messages`, 'message', 0, backlog),
      provider(`a channel's backlog of ${backlog} messages`, 'webhook', 0, backlog),
      provider('a channel whose provider takes 850 ms', 'message', 850),
      provider('a channel whose provider takes 8 s', 'message', 8_000),
      provider('a channel whose provider hangs', 'message', hangMs),
      {
        name: `${endpoints} endpoints of another organization that never answer`,
        victim: 'webhook',
        answerMs: hangMs,
        work: (length) => changeContacts(base, hostile, length),
        takeAway: takeAwayHostile,
      },
      await hangingEndpoint(stage, base),
    ];
    for (const busy of cases.filter(({ name }) => name.includes(only))) {
      measured.push(await measure(stage, base, busy, rounds, seconds));
      console.error(`slow-provider: ${busy.name}: done`);
    }
  } finally {
    await handOver.close();
    await Promise.all([web.stop(), worker.stop()]);
    (await silentReceiver()).close();
  }
  return measured;
}

/** Each of the tenant's own events goes to it too. */
async function hangingEndpoint({ kanal: { sql, tenant } }: Stage, base: string): Promise<Busy> {
  const [id] = await createEndpoints(base, tenant.apiKey, 1);
  const listen = (isListening: boolean) =>
    sql.query('update webhook_endpoints set event_types = $2 where id = $1', [id, isListening ? ['contact.updated'] : []]);
  await listen(false);
  return {
    name: 'an endpoint of the tenant itself that never answers',
    victim: 'webhook',
    answerMs: hangMs,
    work: async () => void (await listen(true)),
    async takeAway() {
      await listen(false);
      await takeAway(sql, 'pool = $1', [endpointPool(id!)]);
      return true;
    },
  };
}

async function measure(stage: Stage, base: string, busy: Busy, rounds: number, seconds: number): Promise<Case> {
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
      if (!(await busy.takeAway())) result.isOver = false;
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
