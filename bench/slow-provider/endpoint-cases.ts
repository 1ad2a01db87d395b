import { setTimeout as sleep } from 'node:timers/promises';
import { endpointPool } from '../../src/platform/ledger/pools.ts';
import { createEndpoint, createSilentEndpoints, listenOnly } from '../endpoints.ts';
import type { Hostile } from '../hostile-tenant.ts';
import { takeAwayWithoutWaiting } from '../hostile-work.ts';
import { insertRetries } from '../past-deliveries.ts';
import { startReceiver } from '../processes.ts';
import type { Stage } from '../stage.ts';
import type { Tenant } from '../tenant.ts';
import { type Busy, hangMs } from './busy.ts';

const silent = 20;
const eventsPerSecond = 10;
/** Far more than come in a round: that they are many must not tell. */
const retries = 8_000;
/** The step of five minutes; a sweep finds the flood before the round is over. */
const due = { delayMs: 1_500, withinMs: 5_000 };

type Cases = { cases: Busy[]; close(): Promise<void> };
type TakeAway = () => Promise<boolean>;

/** The tenant's webhooks beside endpoints that hang, and one to which thousands of retries are due; another organization's and its own. */
export async function openEndpointCases(
  { kanal }: Stage,
  base: string,
  hostile: Hostile,
  takeAwayHostile: TakeAway,
): Promise<Cases> {
  const { sql } = kanal;
  const refusing = await startReceiver('bench/refusing-receiver.ts');
  const [own, other] = [kanal.tenant, hostile.tenant];
  const ownBad = await openBad(own);
  const otherBad = await openBad(other);
  const otherSilent = await createSilentEndpoints(base, other.apiKey, silent);
  const busy = { victim: 'webhook' as const, answerMs: hangMs };

  async function openBad({ organizationId, apiKey }: Tenant) {
    const [hanging] = await createSilentEndpoints(base, apiKey, 1);
    const flooded = await createEndpoint(base, apiKey, refusing.url, ['message.sent']);
    const flood = () => insertRetries(sql, { organizationId, endpointId: flooded.id }, retries, due);
    return { hanging: hanging!, pools: [hanging!, flooded.id].map(endpointPool), flood };
  }

  /** Each of the tenant's own events goes to the one that hangs, too. */
  const listenOwn = (hanging: string[]) => listenOnly(sql, own.organizationId, [own.endpointId, ...hanging]);
  const takeAwayOwn = async () => {
    await listenOwn([]);
    return takeAwayWithoutWaiting(sql, 'pool = any($1)', [ownBad.pools]);
  };
  const events = async (ids: string[], seconds: number) => {
    await listenOnly(sql, other.organizationId, ids);
    await changeContacts(base, hostile, seconds);
  };
  await listenOwn([]);
  // In the cases of a provider its sent messages must not become retries of webhooks.
  await listenOnly(sql, other.organizationId, []);
  return {
    cases: [
      {
        ...busy,
        name: `${silent} endpoints of another organization that never answer`,
        work: (seconds) => events(otherSilent, seconds),
        takeAway: takeAwayHostile,
      },
      {
        ...busy,
        name: 'an endpoint of the tenant itself that never answers',
        work: () => listenOwn([ownBad.hanging]),
        takeAway: takeAwayOwn,
      },
      {
        ...busy,
        name: `of another organization: an endpoint that hangs, and ${retries} retries due at one that answers 500`,
        work: async (seconds) => void (await Promise.all([events([otherBad.hanging], seconds), otherBad.flood()])),
        takeAway: takeAwayHostile,
      },
      {
        ...busy,
        name: `of the tenant itself: an endpoint that hangs, and ${retries} retries due at one that answers 500`,
        work: async () => void (await Promise.all([listenOwn([ownBad.hanging]), ownBad.flood()])),
        takeAway: takeAwayOwn,
      },
    ],
    async close() {
      await refusing.process.stop();
    },
  };
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
