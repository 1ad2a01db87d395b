import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { knowJobs } from '../../../../src/jobs.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { conversationUpdated } from '../../../../src/platform/events/catalogue.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { checkJobs } from '../../../../src/platform/ledger/check.ts';
import { subjectLock } from '../../../../src/platform/ledger/locks.ts';
import { drainPool, endpointPool, holdPool, setPool } from '../../../../src/platform/ledger/pools.ts';
import { transactFor } from '../../../../src/platform/ledger/tenant.ts';
import { Delivery } from '../../../../src/webhooks/endpoint.entity.ts';
import { cancelPendingJob } from '../../../../src/webhooks/pending/jobs.ts';
import {
  batchSize,
  beginning,
  cancelling,
  draining,
  hastening,
  type Position,
  type Settling,
  settleBatch,
} from '../../../../src/webhooks/pending/settle.ts';
import { endpoint } from '../../../support/factories/endpoint.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { databaseNowMs, hourMs, inMs, minuteMs, msOf } from '../../../support/rules/clock.ts';
import { deliveriesOf } from '../../../support/rules/deliveries.ts';
import { deleteJob, setJobState, setJobs } from '../../../support/rules/ledger-jobs.ts';
import { setPools } from '../../../support/rules/pools.ts';
import { waitFor } from '../../../support/wait-for.ts';

let house: House;
let endpointId: string;
let run: { organization_id: string; id: string; run: number };
beforeAll(knowJobs);
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const perSubject = 150;
const subjects = Array.from({ length: 3 }, () => uuidv7());
const total = perSubject * subjects.length;

/** Three lanes of 150 deliveries that are held, in turns: more than two steps hold. */
beforeEach(async () => {
  await house.reset('webhook_endpoints', 'events');
  const made = await endpoint(house.ledger.transact, house.organizationId, { ordering: 'per_subject' });
  endpointId = made.id;
  await holdPool(house.em(), house.pool(`endpoint:${endpointId}`), null);
  await house.ledger.transact({ locks: subjects.map((id) => subjectLock('conversation', id)) }, async (tx) => {
    for (let index = 0; index < total; index += 1) {
      const data = { conversation_id: subjects[index % subjects.length]!, status: 'open' };
      tx.emit(conversationUpdated, data, { organizationId: house.organizationId });
    }
  });
  const id = await house.ledger.transact({}, async (tx) =>
    tx.enqueue(cancelPendingJob, house.organizationId, { endpoint_id: endpointId, up_to: endpointId }),
  );
  run = { organization_id: house.organizationId, id, run: 1 };
});

const transact = () => transactFor(house.ledger.transact, house.organizationId);
const step = (settling: Settling, upTo: string, at: Position) =>
  settleBatch(transact(), ownRows(house.database, house.organizationId), { endpointId, upTo }, settling, at, run);
async function pass(settling: Settling, upTo: string): Promise<Position & { steps: number }> {
  let at: Position = { deliveries: 0, under_way: 0, after: beginning };
  for (let steps = 1; ; steps += 1) {
    const { isLast, ...position } = (await step(settling, upTo, at))!;
    if (isLast) return { ...position, steps };
    at = position;
  }
}
const deliveries = () => deliveriesOf(house.em(), endpointId);
/** The deliveries by the order of the events: the nth of them is the last one to be changed. */
const nth = async (count: number) => (await deliveries()).map(({ id }) => id).sort()[count - 1]!;
const laneRows = async (subject: string) =>
  (await house.rows()).filter(({ lane }) => lane === `subject:${endpointId}:conversation:${subject}`);
const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

describe('cancelling', () => {
  test('all of them, in steps, with their jobs', async () => {
    expect(await pass(cancelling, last)).toMatchObject({ deliveries: total, under_way: 0, steps: Math.ceil(total / batchSize) });
    expect((await deliveries()).every(({ state }) => state === 'cancelled')).toBe(true);
    expect((await house.rows()).map(({ id }) => id)).toEqual([run.id]);
    expect(await checkJobs(house.database)).toEqual([]);
  });

  test('up to one of them: the next of each lane is its head, and the order stays', async () => {
    const until = await nth(230);
    expect(await pass(cancelling, until)).toMatchObject({ deliveries: 230 });
    for (const subject of subjects) {
      const left = (await deliveries()).filter((one) => one.subject === subject && one.state === 'pending').map(({ id }) => id);
      const rows = await laneRows(subject);
      expect(rows.map(({ subject_id }) => subject_id)).toEqual(left);
      expect(rows.map(({ state }) => state)).toEqual(['waiting', ...Array(left.length - 1).fill('blocked')]);
    }
    expect(await checkJobs(house.database)).toEqual([]);
  });

  test('what has room in its pool is under way: left alone and counted, with the lane behind it', async () => {
    const [first] = await laneRows(subjects[0]!);
    await setJobState(house.em(), first!.id, 'queued');
    expect(await pass(cancelling, last)).toMatchObject({ deliveries: total - 1, under_way: 1 });
    expect((await laneRows(subjects[0]!)).map(({ id }) => id)).toEqual([first!.id]);
    expect(await checkJobs(house.database)).toEqual([]);
  });

  test('a turn of a rate that is still to come is called off, and its room goes to the next', async () => {
    const [first] = await laneRows(subjects[0]!);
    await setPools(house.em(), { heldInMs: null, width: 1 }, house.pool(endpointPool(endpointId)));
    await setJobs(house.em(), { state: 'queued', slot_at: inMs(0), run_at: inMs(minuteMs) }, { id: first!.id });
    expect(await pass(cancelling, await nth(1))).toMatchObject({ deliveries: 1, under_way: 0 });
    const withRoom = async () => (await house.rows()).find(({ slot_at }) => slot_at !== null)?.id;
    expect(await waitFor('the next to have room', withRoom)).not.toBe(first!.id);
  });

  test('a pending delivery that has lost its job is cancelled too', async () => {
    const [first, next] = await laneRows(subjects[0]!);
    await deleteJob(house.em(), first!.id);
    await setJobState(house.em(), next!.id, 'waiting');
    expect(await pass(cancelling, last)).toMatchObject({ deliveries: total, under_way: 0 });
    expect((await deliveries()).every(({ state }) => state === 'cancelled')).toBe(true);
  });

  test('two at once, and events of the same subjects meanwhile: each is cancelled once, and no lane is without a head', async () => {
    const emit = (id: string) =>
      house.ledger.transact({ locks: [subjectLock('conversation', id)] }, async (tx) => {
        tx.emit(conversationUpdated, { conversation_id: id, status: 'open' }, { organizationId: house.organizationId });
      });
    const until = await nth(total);
    const emits = Array.from({ length: 30 }, (_, index) => emit(subjects[index % subjects.length]!));
    const passes = await Promise.all([pass(cancelling, until), pass(cancelling, until)]);
    await Promise.all(emits);
    const both = passes[0].deliveries + passes[1].deliveries;
    expect(both).toBe(total);
    const rows = await deliveries();
    expect(rows.filter(({ state }) => state === 'cancelled')).toHaveLength(total);
    expect(rows.filter(({ state }) => state === 'pending')).toHaveLength(30);
    expect(await checkJobs(house.database)).toEqual([]);
  });
});

test('draining moves each once, and its lane with it', async () => {
  await setPool(house.em(), house.pool(drainPool(endpointId)), 10, null);
  await holdPool(house.em(), house.pool(`endpoint:${endpointId}:drain`), null);
  expect(await pass(draining, await nth(300))).toMatchObject({ deliveries: 300, under_way: 0 });
  expect(await pass(draining, last)).toMatchObject({ deliveries: total - 300 });
  expect(await pass(draining, last)).toMatchObject({ deliveries: 0, under_way: 0 });
  for (const subject of subjects) {
    const rows = await laneRows(subject);
    expect(new Set(rows.map(({ pool }) => pool))).toEqual(new Set([`endpoint:${endpointId}:drain`]));
    expect(rows.map(({ state }) => state)).toEqual(['waiting', ...Array(perSubject - 1).fill('blocked')]);
  }
  expect(await checkJobs(house.database)).toEqual([]);
});

test('hastening gives a later attempt a new run, which waits for room now', async () => {
  const [head, behind] = await laneRows(subjects[0]!);
  const later = 5 * hourMs;
  await setJobs(house.em(), { state: 'queued', attempts: 4, run_at: inMs(later), check_at: inMs(later) }, { id: head!.id });
  await house.em().nativeUpdate(Delivery, { id: head!.subject_id }, { next_attempt_at: inMs(later) });
  expect(await pass(hastening, last)).toMatchObject({ deliveries: total });
  const hastened = await house.row(head!.id);
  expect(hastened).toMatchObject({ state: 'waiting', run: 2, attempts: 4, slot_at: null });
  expect(hastened!.run_in).toBeLessThanOrEqual(0);
  expect(await house.row(behind!.id)).toMatchObject({ state: 'blocked', run: 1 });
  const { next_attempt_at } = await house.em().findOneOrFail(Delivery, { id: head!.subject_id });
  expect(msOf(next_attempt_at!)).toBeLessThanOrEqual(await databaseNowMs(house.em()));
  expect(await checkJobs(house.database)).toEqual([]);
});

test('a run that is no longer the job’s changes nothing', async () => {
  await setJobs(house.em(), { run: 2 }, { id: run.id });
  expect(await step(cancelling, last, { deliveries: 0, under_way: 0, after: beginning })).toBeUndefined();
});
