import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../src/platform/database/query.ts';
import { checkJobs } from '../../src/platform/ledger/check.ts';
import { deliveries } from '../support/factories/deliveries.ts';
import { waitFor } from '../support/wait-for.ts';
import { attemptRows, deliveryRows, endpointRows } from '../support/work/webhooks.ts';
import { type BackendName, limitMs, type Stack, startStack } from './stack.ts';

let stack: Stack;
afterEach(() => stack.stop());

const count = 2_000;

test.each<BackendName>(['postgres', 'redis'])(
  'a recover of 2,000 while the workers are killed three times: %s',
  async (backend) => {
    stack = await startStack({ backend, env: { WEBHOOK_REPLAYS_PER_SECOND: '400' } });
    const rows = <Row>(text: string, params?: unknown[]) => query<Row>(stack.database.em(), text, params);
    await stack.listen();
    const endpoint = await endpointRows.one(stack.database, {});
    const ids = { organizationId: stack.organizationId, endpointId: endpoint.id };
    const failed = await deliveries(rows, ids, { count });

    const path = `/v1/settings/developer/webhooks/endpoints/${endpoint.id}/recover`;
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const { status, body } = await stack.call<{ operation_id: string }>('POST', path, { since });
    expect(status).toBe(202);
    for (let kill = 0; kill < 3; kill += 1) {
      await sleep(900);
      await stack.killWorkers();
    }
    type Operation = { status: string; progress: { done: number } };
    const ended = await waitFor(
      'the operation to end',
      async () => {
        const operation = (await stack.call<Operation>('GET', `/v1/operations/${body.operation_id}`)).body;
        return operation.status === 'succeeded' && operation;
      },
      300_000,
    );
    expect(ended.progress.done).toBe(count);
    await waitFor(
      'the deliveries',
      async () => (await deliveryRows.count(stack.database, { state: { $ne: 'succeeded' } })) === 0,
      300_000,
    );

    const marked = await attemptRows.all(stack.database, { trigger: 'recover' }, ['delivery_id']);
    expect(marked.map((row) => row.delivery_id).sort()).toEqual(failed.toSorted());
    const events = await deliveryRows.all(stack.database, { id: { $in: failed } }, ['event_id']);
    const received = stack.receiver.received.map(({ id }) => id);
    expect([...new Set(received)].sort()).toEqual(events.map((row) => row.event_id).sort());
    expect(stack.receiver.faults).toEqual([]);
    // Twice only what was in flight at a kill: ten requests to an endpoint at most.
    expect(received.length - count).toBeLessThanOrEqual(30);
    expect(await checkJobs(stack.database)).toEqual([]);
  },
  limitMs,
);
