import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { expireOrderJob } from '../../../../src/commerce/orders/expiry.ts';
import { refundPaymentJob } from '../../../../src/commerce/payments/jobs.ts';
import { checkShipmentJob } from '../../../../src/commerce/shipping/jobs.ts';
import { knowJobs } from '../../../../src/jobs.ts';
import { sendMessageJob } from '../../../../src/messaging/jobs.ts';
import { query } from '../../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { CheckCutShort, checkJobs } from '../../../../src/platform/ledger/check.ts';
import { Pool } from '../../../../src/platform/ledger/jobs.entity.ts';
import { holdPool, letPoolGo, setPool } from '../../../../src/platform/ledger/pools.ts';
import { conversation } from '../../../support/factories/conversation.ts';
import { message, queuedMessage } from '../../../support/factories/message.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { hourMs, inMs, minuteMs, secondMs } from '../../../support/rules/clock.ts';
import {
  deleteJob,
  moveJobsTo,
  passForJobs,
  setJobState,
  setJobs,
  storeJobs,
  storeWaiting,
} from '../../../support/rules/ledger-jobs.ts';
import { setPools } from '../../../support/rules/pools.ts';
import { deleteToy, newToys, setToyStatus } from '../../../support/rules/toys.ts';
import { playJob } from '../../../support/toys.ts';
import { waitFor } from '../../../support/wait-for.ts';

let house: House;
beforeAll(knowJobs);
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset('messages');
  await setPool(house.em(), house.pool('toys'), 1, null);
});

const findings = () => checkJobs(house.database);
const only = (rule: string, id?: string) => [expect.objectContaining({ rule, ...(id && { id }) })];

test('a ledger in order has none: heads, blocked, waiting, failed and done rows', async () => {
  await house.accept({ lane: 'a:1' });
  await house.accept({ lane: 'a:1' });
  const first = await house.accept({ pool: 'toys' });
  await waitFor('its room', async () => (await house.row(first.id))?.state === 'queued');
  await house.accept({ pool: 'toys' });
  const failed = await house.accept();
  await setJobState(house.em(), failed.id, 'failed');
  await setToyStatus(house.em(), failed.toyId, 'failed');
  await queuedMessage(house.ledger.transact, house.organizationId, await conversation(house.em(), house.organizationId));
  expect(await findings()).toEqual([]);
});

test('a table that somebody has locked cuts the look short, and says so', async () => {
  const holding = house.database.transaction(async (em) => {
    await query(em, 'lock table jobs in access exclusive mode');
    // The table is locked until the look is over: without an end of its own it would never be.
    await expect(checkJobs(house.database, 200)).rejects.toThrow(CheckCutShort);
  });
  await holding;
  expect(await findings()).toEqual([]);
});

describe('the invariant: each break of it is found by name', () => {
  test('a queued row nobody has looked at for 2 minutes', async () => {
    const { id } = await house.accept();
    await moveJobsTo(house.em(), -119 * secondMs);
    expect(await findings()).toEqual([]);
    await moveJobsTo(house.em(), -121 * secondMs);
    expect(await findings()).toEqual(only('a queued row is looked at within 2 minutes', id));
  });

  test('not one that waits for the pace of its line', async () => {
    await house.accept();
    await setJobs(house.em(), { run_at: inMs(-10 * minuteMs), check_at: inMs(-11 * minuteMs) });
    expect(await findings()).toEqual([]);
  });

  test('a lane without a head', async () => {
    const first = await house.accept({ lane: 'a:1' });
    const second = await house.accept({ lane: 'a:1' });
    await house.accept({ lane: 'a:1' });
    await deleteJob(house.em(), first.id);
    await deleteToy(house.em(), first.toyId);
    expect(await findings()).toEqual(only('a lane with blocked rows has one head', second.id));
  });

  test('a blocked row without a lane', async () => {
    const { id } = await house.accept();
    await setJobState(house.em(), id, 'blocked');
    expect(await findings()).toContainEqual(only('a blocked row has a lane', id)[0]);
  });

  test('a waiting row whose pool was deleted, or that has none', async () => {
    await house.accept({ pool: 'toys' });
    const { id } = await house.accept({ pool: 'toys' });
    await waitFor('the fill', async () => (await house.rows())[0]?.state === 'queued');
    await house.em().nativeDelete(Pool, {});
    expect(await findings()).toEqual(only('a waiting row has a pool', id));
    await setJobs(house.em(), { pool: null }, { id });
    expect(await findings()).toEqual(only('a waiting row has a pool', id));
  });

  test('a subject without an end that no row will move', async () => {
    const { id, toyId } = await house.accept();
    await deleteJob(house.em(), id);
    expect(await findings()).toEqual(only('a subject without an end has a live row', toyId));
  });

  test('a message that is queued or sending without a job', async () => {
    const talk = await conversation(house.em(), house.organizationId);
    const queued = await message(house.em(), house.organizationId, talk);
    const sending = await message(house.em(), house.organizationId, talk, { status: 'sending' });
    await message(house.em(), house.organizationId, talk, { status: 'sent' });
    const found = await findings();
    expect(found.map(({ id }) => id).sort()).toEqual([queued, sending].sort());
  });

  test('a live row whose subject has ended', async () => {
    const { id, toyId } = await house.accept();
    await setToyStatus(house.em(), toyId, 'done');
    expect(await findings()).toEqual(only('a live row has a live subject', id));
  });

  test('a look that comes later than the end of its subject breaks nothing, nor do two of one subject', async () => {
    const orderId = uuidv7();
    for (const name of [expireOrderJob.name, checkShipmentJob.name, checkShipmentJob.name, refundPaymentJob.name])
      await storeJobs(house.em(), house.organizationId, {
        name,
        subjectType: 'order',
        subjectIds: [orderId],
        runInMs: hourMs,
        checkInMs: hourMs,
      });
    expect(await findings()).toEqual([]);
  });

  test('two live rows for one message', async () => {
    const talk = await conversation(house.em(), house.organizationId);
    const { jobId, messageId } = await queuedMessage(house.ledger.transact, house.organizationId, talk);
    const first = (await house.row(jobId))!;
    await storeJobs(house.em(), house.organizationId, {
      name: sendMessageJob.name,
      subjectType: sendMessageJob.subjectType,
      subjectIds: [messageId],
      queue: first.queue,
      lane: first.lane,
      pool: first.pool,
      state: 'blocked',
      checkInMs: first.check_in,
    });
    expect(await findings()).toEqual(only('a subject has one live row'));
  });
});

describe('a pool that stands still', () => {
  const rule = 'a pool that has work and room moves on within a minute';
  /** Two rows that waited or were queued for longer than a minute, and nothing of the pool moved since. */
  async function old(state: 'waiting' | 'queued', movedAgoMs = 2 * minuteMs) {
    const subjectIds = await newToys(house.em(), playJob.name, 2);
    await storeWaiting(house.em(), house.organizationId, { subjectIds, checkInMs: hourMs });
    await setJobs(house.em(), { state, slot_at: state === 'queued' ? inMs(0) : null });
    await passForJobs(house.em(), 2 * minuteMs);
    await setPools(house.em(), { filledInMs: -movedAgoMs });
  }

  test('has rows that wait, room, and gave none away for a minute', async () => {
    await old('waiting');
    expect(await findings()).toEqual(only(rule, 'toys'));
  });

  test('does not while it moves, is held, or has no room', async () => {
    await old('waiting', 50 * secondMs);
    expect(await findings()).toEqual([]);
    await old('waiting');
    await holdPool(house.em(), house.pool('toys'), null);
    expect(await findings()).toEqual([]);
    await letPoolGo(house.em(), house.pool('toys'));
    await setJobState(house.em(), (await house.rows())[0]!.id, 'queued');
    expect(await findings()).toEqual([]);
  });

  test('has a rate, rows that were handed over, and no claim for a minute, however often they are put off', async () => {
    await setPool(house.em(), house.pool('toys'), 5, 80);
    await old('queued');
    await setJobs(house.em(), { run_at: inMs(500), slot_at: inMs(500) });
    expect(await findings()).toEqual(only(rule, 'toys'));
    await setPools(house.em(), { tatInMs: 0 });
    expect(await findings()).toEqual([]);
  });
});
