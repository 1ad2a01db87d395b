import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createOrganization } from '../../../../src/organizations/organizations.ts';
import { setPool } from '../../../../src/platform/ledger/pools.ts';
import { retryJob } from '../../../../src/platform/ledger/retry.ts';
import { type House, openHouse, playing, toyHandler } from '../../../support/house.ts';
import { setJobs } from '../../../support/rules/ledger-jobs.ts';
import { playJob } from '../../../support/toys.ts';
import { waitFor } from '../../../support/wait-for.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset();
  await setPool(house.em(), house.pool('toys'), 1, null);
});

const error = { code: 'no', message: 'not today' };
const failing = toyHandler(playJob, (_, context) => context.fail(error));
async function failed(options: { lane?: string; pool?: string } = {}) {
  const made = await house.accept(options);
  await waitFor('its turn', async () => (await house.row(made.id))?.state === 'queued');
  await house.run(failing, { id: made.id });
  return made;
}
const retry = (id: string) => retryJob(house.ledger.transact, id, house.organizationId);

describe('rule 6: retry by hand', () => {
  test('is a new run with its tries counted anew, and its subject is open again', async () => {
    const { id, toyId } = await failed();
    await setJobs(house.em(), { attempts: 3, stalls: 4, queue: 'webhook-retries' }, { id });
    house.dispatched.length = 0;
    expect(await retry(id)).toBe(true);
    expect(await house.row(id)).toMatchObject({ state: 'queued', run: 2, attempts: 0, stalls: 0, error: null, queue: 'default' });
    expect(await house.toy(toyId)).toMatchObject({ status: 'open', revivals: 1 });
    expect(house.dispatched).toEqual([expect.objectContaining({ id, run: 2 })]);
    expect(await house.run(playing(), { id, run: 2 })).toEqual({ kind: 'done' });
  });

  test('goes to the end of its lane', async () => {
    const { id } = await failed({ lane: 'a:1' });
    const [second, third] = [await house.accept({ lane: 'a:1' }), await house.accept({ lane: 'a:1' })];
    await retry(id);
    expect((await house.rows()).map((row) => [row.id, row.state])).toEqual([
      [second!.id, 'queued'],
      [third!.id, 'blocked'],
      [id, 'blocked'],
    ]);
  });

  test('alone in its lane it is the head; with a pool it waits for room', async () => {
    const { id } = await failed({ lane: 'a:1' });
    await retry(id);
    expect((await house.row(id))?.state).toBe('queued');

    const pooled = await failed({ pool: 'toys' });
    const other = await house.accept({ pool: 'toys' });
    await waitFor('its room', async () => (await house.row(other.id))?.state === 'queued');
    await retry(pooled.id);
    await house.ledger.fill(house.pool('toys'));
    expect((await house.row(pooled.id))?.state).toBe('waiting');
  });

  test('asked twice it is done once', async () => {
    const { id, toyId } = await failed({ lane: 'a:1' });
    expect(await retry(id)).toBe(true);
    expect(await retry(id)).toBe(false);
    expect(await house.row(id)).toMatchObject({ run: 2 });
    expect((await house.toy(toyId)).revivals).toBe(1);
  });

  test.each([
    ['with a lane', 'a:1'],
    ['without a lane', undefined],
  ])('asked many times at once, %s, it is done once', async (_, lane) => {
    const { id, toyId } = await failed({ lane });
    const answers = await Promise.all(Array.from({ length: 8 }, () => retry(id)));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await house.row(id)).toMatchObject({ run: 2, state: 'queued' });
    expect((await house.toy(toyId)).revivals).toBe(1);
  });

  test('a row that has not failed is left as it is', async () => {
    const { id } = await house.accept();
    expect(await retry(id)).toBe(false);
    expect(await house.row(id)).toMatchObject({ run: 1, state: 'queued' });
  });

  test('a foreign job and a missing one are not found alike', async () => {
    const { id } = await failed();
    const stranger = await createOrganization(house.em(), 'Stranger');
    await expect(retryJob(house.ledger.transact, id, stranger)).rejects.toMatchObject({ code: 'not_found' });
    await expect(retryJob(house.ledger.transact, stranger, stranger)).rejects.toMatchObject({ code: 'not_found' });
    expect((await house.row(id))?.state).toBe('failed');
  });

  test('a refusal of the subject leaves the row failed', async () => {
    const { id } = await failed();
    await house.sql(`alter table toys add constraint never check (revivals = 0)`);
    await expect(retry(id)).rejects.toThrow();
    await house.sql('alter table toys drop constraint never');
    expect(await house.row(id)).toMatchObject({ state: 'failed', run: 1 });
  });

  test('a kind of job that is no more is a conflict, not a crash', async () => {
    const { id } = await failed();
    await setJobs(house.em(), { name: 'toys.gone' }, { id });
    await expect(retry(id)).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('rule 6: the old run of a failed row', () => {
  test('that BullMQ has made before is a retry by hand', async () => {
    const { id } = await failed();
    expect(await house.run(playing(), { id, attemptsMade: 1 })).toEqual({ kind: 'retried' });
    expect(await house.row(id)).toMatchObject({ state: 'queued', run: 2 });
  });

  test('that it has not is an echo and fails with the error of the row', async () => {
    const { id, toyId } = await failed();
    expect(await house.run(playing(), { id, attemptsMade: 0 })).toEqual({ kind: 'failed', error });
    expect(await house.row(id)).toMatchObject({ state: 'failed', run: 1 });
    expect((await house.toy(toyId)).effects).toBe(0);
  });
});
