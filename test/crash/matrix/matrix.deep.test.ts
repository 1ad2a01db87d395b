import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../../src/platform/database/query.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { deliveries } from '../../support/factories/deliveries.ts';
import { eventRows } from '../../support/work/events.ts';
import { attemptRows, deliveryRows } from '../../support/work/webhooks.ts';
import { randomFrom, seed } from '../options.ts';
import { type BackendName, limitMs, type Stack, startStack } from '../stack.ts';
import { type Account, accountOf, type Endpoint } from './accounts.ts';
import { disturb, type Fault } from './faults.ts';
import { matrixSizes } from './options.ts';
import { kinds, startReceiver } from './receivers.ts';
import { acceptContacts, surely, untilEnded } from './work.ts';

let stack: Stack;
let endpoints: Endpoint[] = [];
afterEach(async () => {
  await stack.stop();
  await Promise.all(endpoints.map(({ receiver }) => receiver.close()));
});

const { events, recovered, faults: faultCount, maxPauseMs } = matrixSizes;
const base = '/v1/settings/developer/webhooks/endpoints';

async function addEndpoint(_: unknown, index: number): Promise<Endpoint> {
  const receiver = await startReceiver(kinds[index % kinds.length]!);
  const { body } = await surely<{ id: string; secret: string }>(stack, base, {
    url: receiver.url,
    event_types: ['contact.created'],
  });
  receiver.verifyWith(body.secret);
  return { id: body.id, receiver };
}

const sum = (accounts: Account[], figure: (account: Account) => number) =>
  accounts.reduce((total, account) => total + figure(account), 0);

function report(backend: BackendName, accounts: Account[], faults: Fault[]) {
  const total = sum(accounts, ({ accepted }) => accepted);
  const duplicates = sum(accounts, (account) => account.duplicates);
  const figures = [
    `seed ${seed}`,
    `${faults.length} faults (${faults.map(({ kind }) => kind).join(', ')})`,
    `${total} deliveries`,
    `${sum(accounts, ({ arrivals }) => arrivals)} arrivals`,
    `${sum(accounts, ({ lost }) => lost)} answers lost, the last ${Math.max(...accounts.map(({ lateMs }) => lateMs))} ms after its fault`,
    `${duplicates} duplicates (${((100 * duplicates) / total).toFixed(3)} %)`,
  ];
  const lines = accounts.map(({ kind, accepted, delivered, failed, pending, held, cancelled }) => {
    const parts = { delivered, failed, pending, held, cancelled };
    const shown = Object.entries(parts).map(([name, ids]) => `${ids.length} ${name}`);
    return `  ${kind}: ${accepted} = ${shown.join(' + ')}`;
  });
  process.stdout.write(`${backend}: ${figures.join(', ')}\n${lines.join('\n')}\n`);
}

test.each<BackendName>(['postgres', 'redis'])(
  'every event is accounted for at every endpoint, whatever is killed, emptied and restarted: %s',
  async (backend) => {
    process.stdout.write(`${backend}: seed ${seed}\n`);
    stack = await startStack({
      backend,
      // A worker that a busy machine holds up for seconds is not dead, and no run of it may begin again.
      env: { WEBHOOK_REPLAYS_PER_SECOND: '400', WEBHOOK_TIMEOUT_MS: '1000', LOCK_DURATION_MS: '15000' },
      // A line an attempt would fill the memory of this process.
      workerEnv: () => ({ LOG_LEVEL: 'warn' }),
    });
    const rows = <Row>(text: string, params?: unknown[]) => query<Row>(stack.database.em(), text, params);
    endpoints = await Promise.all(Array.from({ length: matrixSizes.endpoints }, addEndpoint));
    const ofKind = (...wanted: string[]) => endpoints.filter(({ receiver }) => wanted.includes(receiver.kind));
    const [prompt] = endpoints;
    const ids = { organizationId: stack.organizationId, endpointId: prompt!.id };
    const failed = await deliveries(rows, ids, { count: recovered });
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const recover = await surely<{ operation_id: string }>(stack, `${base}/${prompt!.id}/recover`, { since });

    const [faults, { ids: contacts, middle }] = await Promise.all([
      disturb(stack, () => endpoints.reduce((total, { receiver }) => total + receiver.arrivals.length, 0), {
        random: randomFrom(seed),
        count: faultCount,
        maxPauseMs,
      }),
      acceptContacts(stack, events).then(async (accepted) => {
        for (const { id } of ofKind('down'))
          await surely(stack, `${base}/${id}/cancel`, { until: accepted.middle.toISOString() });
        return accepted;
      }),
    ]);
    const keeping = ofKind('gone', 'down');
    await untilEnded(
      stack,
      endpoints.filter((each) => !keeping.includes(each)).map(({ id }) => id),
    );
    const { body: operation } = await stack.call<{ status: string; progress: { done: number } }>(
      'GET',
      `/v1/operations/${recover.body.operation_id}`,
    );
    await stack.endWorkers();

    const created = await eventRows.all(stack.database, { type: 'contact.created' }, ['id', 'subject_id']);
    expect(created.map(({ subject_id }) => subject_id).sort()).toEqual(contacts.toSorted());
    const old = await deliveryRows.all(stack.database, { id: { $in: failed } }, ['event_id']);
    const accounts: Account[] = [];
    for (const endpoint of endpoints) {
      const promised = [...created.map(({ id }) => id), ...(endpoint === prompt ? old.map((row) => row.event_id) : [])];
      accounts.push(await accountOf(stack, endpoint, { events: promised, faults, middle }));
    }
    report(backend, accounts, faults);

    expect(operation).toMatchObject({ status: 'succeeded', progress: { done: recovered } });
    const marked = await attemptRows.all(stack.database, { trigger: 'recover' }, ['delivery_id']);
    expect([...new Set(marked.map((row) => row.delivery_id))].sort()).toEqual(failed.toSorted());
    expect(await checkJobs(stack.database)).toEqual([]);
  },
  // Some 40 deliveries a second, at the least.
  Math.max(limitMs, (events * matrixSizes.endpoints * 1_000) / 40),
);
