import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Tx } from '../../../../src/platform/ledger/tx.ts';
import { runJob } from '../../../../workers/run-job.ts';
import { type House, onePlace, openHouse, toyHandler } from '../../../support/house.ts';
import { makeJobsDue } from '../../../support/rules/ledger-jobs.ts';
import { playWith, setToyStatus, storedToys } from '../../../support/rules/toys.ts';
import { playJob } from '../../../support/toys.ts';
import { turns } from '../../../support/turns.ts';
import { waitFor } from '../../../support/wait-for.ts';

let house: House;
let admin: pg.Client;
beforeAll(async () => {
  house = await openHouse();
  admin = new pg.Client({ connectionString: house.url });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await house.close();
});
beforeEach(() => house.reset());

/** Cuts the transaction's own connection, as a restart of the database does. */
async function cut(tx: Tx) {
  const [own] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
  await admin.query('select pg_terminate_backend($1)', [own!.pid]);
}

/** Cuts every connection of the house at once. */
const cutAll = () =>
  admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'kanal-test'`,
  );

describe('rule 3: an answer in hand is not thrown away', () => {
  test('the ending transaction is repeated while the database is away, and the effect is there once', async () => {
    const { id, toyId } = await house.accept({ lane: 'a:1' });
    const next = await house.accept({ lane: 'a:1' });
    let asked = 0;
    let ends = 0;
    const handler = toyHandler(playJob, (_, context) => {
      asked += 1;
      return context.finish(async (tx) => {
        ends += 1;
        await playWith(tx.em, toyId);
        if (ends <= 2) await cut(tx);
      });
    });
    expect(await house.run(handler, { id })).toEqual({ kind: 'done' });
    expect({ asked, ends }).toEqual({ asked: 1, ends: 3 });
    expect((await house.toy(toyId)).effects).toBe(1);
    expect(await house.row(id)).toBeUndefined();
    expect((await house.row(next.id))?.state).toBe('queued');
  });

  test.each(['again', 'wait', 'fail'] as const)('%s is repeated as well', async (end) => {
    const { id } = await house.accept();
    let ends = 0;
    const work = async (tx: Tx) => {
      ends += 1;
      if (ends === 1) await cut(tx);
    };
    const error = { code: 'no', message: 'no' };
    const handler = toyHandler(playJob, (_, context) => {
      if (end === 'wait') return context.wait(60_000, { work });
      return end === 'again' ? context.again(error, { work }) : context.fail(error, { work });
    });
    const kind = end === 'fail' ? 'failed' : end;
    expect(await house.run(handler, { id })).toMatchObject({ kind });
    expect(ends).toBe(2);
    expect(await house.row(id)).toMatchObject(
      { again: { attempts: 1, state: 'queued' }, wait: { attempts: 0, state: 'queued' }, fail: { state: 'failed' } }[end],
    );
  });

  test('through an outage that takes every connection, with runs in all stages', async () => {
    const accepted = [];
    for (let index = 0; index < 30; index += 1) accepted.push(await house.accept({ lane: `lane:${index}` }));
    let cuts = 0;
    let runs = 0;
    const handler = toyHandler(playJob, async ({ toy_id }, context) => {
      const after = runs++ % 20;
      await waitFor('the outage to go on', () => cuts >= after);
      return context.finish(async (tx) => {
        await playWith(tx.em, toy_id);
        await setToyStatus(tx.em, toy_id, 'done');
        await turns(after);
      });
    });
    const outage = async () => {
      for (; cuts < 20; cuts += 1) {
        await cutAll();
        await turns(20);
      }
    };
    // What cannot even be read is tried again, as the worker does.
    const untilDone = async (id: string): Promise<string> => {
      try {
        const ended = await house.run(handler, { id });
        if (ended.kind === 'done' || ended.kind === 'stale') return ended.kind;
      } catch {
        await turns(20);
      }
      await makeJobsDue(house.em(), { id }).catch(() => undefined);
      return untilDone(id);
    };
    await Promise.all([outage(), ...accepted.map(({ id }) => untilDone(id))]);
    const toys = await storedToys(house.em());
    expect(toys.map(({ effects }) => effects)).toEqual(accepted.map(() => 1));
    expect(await house.rows()).toEqual([]);
  });

  test('a process that stops does not wait for ever: the row stays as it is', async () => {
    const { id } = await house.accept();
    const deps = { ...house.deps, isStopping: () => true };
    const handler = toyHandler(playJob, (_, context) => context.finish(cut));
    const { ended } = await runJob(
      deps,
      handler,
      { organization_id: house.organizationId, id, run: 1, attemptsMade: 0, stalledCounter: 0 },
      onePlace,
    );
    // The end was cut; what came after it, a wait, could be written.
    expect(ended).toMatchObject({ kind: 'wait' });
    expect(await house.row(id)).toMatchObject({ state: 'queued', attempts: 0 });
  });
});
