import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { expireOrderJob } from '../../../../src/commerce/orders/expiry.ts';
import { refundPaymentJob } from '../../../../src/commerce/payments/jobs.ts';
import { checkShipmentJob } from '../../../../src/commerce/shipping/jobs.ts';
import { knowJobs } from '../../../../src/jobs.ts';
import { query } from '../../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { CheckCutShort, checkJobs } from '../../../../src/platform/ledger/check.ts';
import { setPool } from '../../../../src/platform/ledger/pools.ts';
import { conversation } from '../../../support/factories/conversation.ts';
import { message, queuedMessage } from '../../../support/factories/message.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { newToy, playJob } from '../../../support/toys.ts';
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
  await house.sql(`update jobs set state = 'failed' where id = $1`, [failed.id]);
  await house.sql(`update toys set status = 'failed' where id = $1`, [failed.toyId]);
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
    await house.sql(
      `update jobs set run_at = clock_timestamp() - interval '119 s', check_at = clock_timestamp() - interval '119 s'`,
    );
    expect(await findings()).toEqual([]);
    await house.sql(
      `update jobs set run_at = clock_timestamp() - interval '121 s', check_at = clock_timestamp() - interval '121 s'`,
    );
    expect(await findings()).toEqual(only('a queued row is looked at within 2 minutes', id));
  });

  test('not one that waits for the pace of its line', async () => {
    await house.accept();
    await house.sql(
      `update jobs set run_at = clock_timestamp() - interval '10 min', check_at = clock_timestamp() - interval '11 min'`,
    );
    expect(await findings()).toEqual([]);
  });

  test('a lane without a head', async () => {
    const first = await house.accept({ lane: 'a:1' });
    const second = await house.accept({ lane: 'a:1' });
    await house.accept({ lane: 'a:1' });
    await house.sql('delete from jobs where id = $1', [first.id]);
    await house.sql('delete from toys where id = $1', [first.toyId]);
    expect(await findings()).toEqual(only('a lane with blocked rows has one head', second.id));
  });

  test('a blocked row without a lane', async () => {
    const { id } = await house.accept();
    await house.sql(`update jobs set state = 'blocked'`);
    expect(await findings()).toContainEqual(only('a blocked row has a lane', id)[0]);
  });

  test('a waiting row whose pool was deleted, or that has none', async () => {
    await house.accept({ pool: 'toys' });
    const { id } = await house.accept({ pool: 'toys' });
    await waitFor('the fill', async () => (await house.rows())[0]?.state === 'queued');
    await house.sql('delete from pools');
    expect(await findings()).toEqual(only('a waiting row has a pool', id));
    await house.sql('update jobs set pool = null where id = $1', [id]);
    expect(await findings()).toEqual(only('a waiting row has a pool', id));
  });

  test('a subject without an end that no row will move', async () => {
    const { id, toyId } = await house.accept();
    await house.sql('delete from jobs where id = $1', [id]);
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
    await house.sql(`update toys set status = 'done' where id = $1`, [toyId]);
    expect(await findings()).toEqual(only('a live row has a live subject', id));
  });

  test('a look that comes later than the end of its subject breaks nothing, nor do two of one subject', async () => {
    const orderId = uuidv7();
    for (const name of [expireOrderJob.name, checkShipmentJob.name, checkShipmentJob.name, refundPaymentJob.name])
      await house.sql(
        `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, run_at, check_at)
         values (uuidv7(), $1, $2, 'default', '{}', 'order', $3, 'queued', clock_timestamp() + interval '1 h', clock_timestamp() + interval '1 h')`,
        [house.organizationId, name, orderId],
      );
    expect(await findings()).toEqual([]);
  });

  test('two live rows for one message', async () => {
    const talk = await conversation(house.em(), house.organizationId);
    const { jobId } = await queuedMessage(house.ledger.transact, house.organizationId, talk);
    await house.sql(
      `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, lane, pool, state, check_at)
       select uuidv7(), organization_id, name, queue, payload, subject_type, subject_id, lane, pool, 'blocked', check_at from jobs where id = $1`,
      [jobId],
    );
    expect(await findings()).toEqual(only('a subject has one live row'));
  });
});

describe('a pool that stands still', () => {
  const rule = 'a pool that has work and room moves on within a minute';
  /** Two rows that waited or were queued for longer than a minute, and nothing of the pool moved since. */
  async function old(state: 'waiting' | 'queued', movedAgo = '2 min') {
    for (let index = 0; index < 2; index += 1) {
      const toyId = await newToy(house.em(), playJob.name);
      // Not accepted: nothing of this process shall fill the pool.
      await house.sql(
        `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, pool, state, check_at)
         values (uuidv7(), $1, $2, 'default', jsonb_build_object('toy_id', $3::text), 'toy', $3::uuid, 'toys', 'waiting', clock_timestamp() + interval '1 h')`,
        [house.organizationId, playJob.name, toyId],
      );
    }
    await house.sql(
      `update jobs set state = $1, slot_at = case when $1 = 'queued' then clock_timestamp() end, created_at = created_at - interval '2 min', run_at = run_at - interval '2 min'`,
      [state],
    );
    await house.sql(`update pools set filled_at = clock_timestamp() - $1::interval`, [movedAgo]);
  }

  test('has rows that wait, room, and gave none away for a minute', async () => {
    await old('waiting');
    expect(await findings()).toEqual(only(rule, 'toys'));
  });

  test('does not while it moves, is held, or has no room', async () => {
    await old('waiting', '50 s');
    expect(await findings()).toEqual([]);
    await old('waiting');
    await house.sql(`update pools set held_until = 'infinity'`);
    expect(await findings()).toEqual([]);
    await house.sql(`update pools set held_until = null`);
    await house.sql(`update jobs set state = 'queued', slot_at = clock_timestamp() where seq = (select min(seq) from jobs)`);
    expect(await findings()).toEqual([]);
  });

  test('has a rate, rows that were handed over, and no claim for a minute, however often they are put off', async () => {
    await setPool(house.em(), house.pool('toys'), 5, 80);
    await old('queued');
    await house.sql(
      `update jobs set run_at = clock_timestamp() + interval '500 ms', slot_at = clock_timestamp() + interval '500 ms'`,
    );
    expect(await findings()).toEqual(only(rule, 'toys'));
    await house.sql(`update pools set tat = clock_timestamp()`);
    expect(await findings()).toEqual([]);
  });
});
