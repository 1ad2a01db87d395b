import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { hashOfDocument } from '../../../src/flows/document/hash.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { document } from '../../support/flow-moves.ts';
import { jobRows, poolRows } from '../../support/work/jobs.ts';
import { given, randomFrom, seed } from '../options.ts';
import { account, type BackendName, limitMs, type Stack, startStack } from '../stack.ts';

const count = given('FLOWS', 24);
const kills = given('FAULTS', 4);

let stack: Stack;
afterEach(() => stack.stop());

type Shown = {
  id: string;
  status: string;
  doing: string | null;
  failure: unknown;
  has_local_changes: boolean;
  flow_json: object;
};
type There = { name: string; wabaId: string; id: string; status: string; flow_json: string };

test.each<BackendName>(['postgres', 'redis'])(
  'flows made, pushed, published, changed and deprecated while workers are killed and connections drop: %s',
  async (backend) => {
    stack = await startStack({ backend });
    const channelId = await stack.connect();
    // Without its pace: hundreds of calls, one a second, would take the day.
    await poolRows.add(stack.database, {
      organization_id: stack.organizationId,
      id: `waba:${account.waba_id}:${stack.organizationId}`,
      width: 4,
    });
    let isOver = false;
    const faults = dropping(() => isOver);
    const killing = (async () => {
      for (let kill = 0; kill < kills && !isOver; kill += 1) {
        await sleep(3_000);
        await stack.killWorkers();
      }
    })();
    const lives = Array.from({ length: 8 }, (_, first) => liveFrom(channelId, first));
    const ids = (await Promise.all(lives)).flat();
    isOver = true;
    await Promise.all([faults, killing]);

    const provider = (await stack.control<{ flows: There[] }>('GET', '/flows')).flows.filter(
      ({ wabaId }) => wabaId === account.waba_id,
    );
    expect(provider).toHaveLength(count);
    expect(new Set(provider.map(({ name }) => name)).size).toBe(count);
    for (const id of ids) {
      const shown = (await stack.call<Shown & { provider_flow_id: string }>('GET', `/v1/flows/${id}`)).body;
      const there = provider.find((flow) => flow.id === shown.provider_flow_id)!;
      expect([there.status, shown.status, shown.has_local_changes]).toEqual(['DEPRECATED', 'deprecated', false]);
      expect(hashOfDocument(JSON.parse(there.flow_json))).toBe(hashOfDocument(shown.flow_json));
    }
    expect(await checkJobs(stack.database)).toEqual([]);
    const live = { name: { $like: 'flows.%' }, state: { $in: ['blocked', 'waiting', 'queued'] as const } };
    expect(await jobRows.count(stack.database, live)).toBe(0);
  },
  limitMs,
);

/** Every eighth flow, one after the other, each through its whole life. */
async function liveFrom(channelId: string, first: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = first; number < count; number += 8) {
    const body = { name: `Flow ${number}`, category: 'survey', channel_id: channelId, flow_json: document('First') };
    const { status, body: made } = await stack.callSurely<{ id: string }>('POST', '/v1/flows', body);
    expect(status).toBe(201);
    ids.push(made.id);
    await reach(made.id, 'push', ({ has_local_changes }) => !has_local_changes);
    await reach(made.id, 'publish', ({ status }) => status === 'published');
    await stack.callSurely('PATCH', `/v1/flows/${made.id}`, { flow_json: document(`Second ${number}`) });
    await reach(made.id, 'publish', ({ status, has_local_changes }) => status === 'published' && !has_local_changes);
    await reach(made.id, 'deprecate', ({ status }) => status === 'deprecated');
  }
  return ids;
}

/** Asked again where it failed for good: a client would. */
async function reach(id: string, action: string, isReached: (flow: Shown) => boolean): Promise<void> {
  let flow: Shown | undefined;
  for (const until = Date.now() + 240_000; Date.now() < until; await sleep(100)) {
    flow = (await stack.callSurely<Shown>('GET', `/v1/flows/${id}`)).body;
    if (flow.doing) continue;
    if (isReached(flow)) return;
    await stack.callSurely('POST', `/v1/flows/${id}/${action}`);
  }
  throw new Error(
    `${action} of ${id} did not end: ${JSON.stringify({ ...flow, flow_json: undefined, builder_json: undefined })}`,
  );
}

const cut = [
  { method: 'POST', path: `${account.waba_id}/flows` },
  { method: 'POST', path: '/assets' },
  { method: 'GET', path: '/assets' },
  { method: 'POST', path: '/publish' },
  { method: 'POST', path: '/deprecate' },
];

/** Before the provider has acted, or after it. One at a time: each costs a try, and a job has eight. */
async function dropping(isOver: () => boolean): Promise<void> {
  const random = randomFrom(seed);
  for (; !isOver(); await sleep(500 + random() * 1_000)) {
    if ((await stack.control<{ faults: object[] }>('GET', '/faults')).faults.length > 0) continue;
    const kind = random() < 0.5 ? 'drop_before' : 'drop_after';
    await stack.control('POST', '/faults', { kind, match: cut[Math.floor(random() * cut.length)] });
  }
}
