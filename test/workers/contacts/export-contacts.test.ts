import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { forgetInFiles } from '../../../src/contacts/erasure/forget-in-files.ts';
import { deleteExport, fileOf, getExport, queueExport } from '../../../src/contacts/export/exports.ts';
import { exportLane, exportPool } from '../../../src/contacts/export/jobs.ts';
import { type Export, runExport } from '../../../src/contacts/export/run.ts';
import { knowJobs } from '../../../src/jobs.ts';
import { createOrganization } from '../../../src/organizations/organizations.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { query } from '../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { callOff, controlOf } from '../../../src/platform/ledger/control.ts';
import { retryJob } from '../../../src/platform/ledger/retry.ts';
import { Superseded } from '../../../src/platform/ledger/superseded.ts';
import { asTenant, transactFor } from '../../../src/platform/ledger/tenant.ts';
import type { ListRequest } from '../../../src/platform/listing/listing.ts';
import { exportContacts } from '../../../workers/contacts/export-contacts.ts';
import { type House, openHouse, type ToyHandler } from '../../support/house.ts';
import { waitFor } from '../../support/wait-for.ts';
import { contactRows, exportChunkRows, exportRows } from '../../support/work/contacts.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { cancelStatement, isLockAwaited, lockWaiters } from '../../support/work/locks.ts';

let house: House;
let organizationId: string;
const handler = exportContacts as unknown as ToyHandler;
const always = () => true;
/** Of a slice each: 100 rows. */
const small = 1;

beforeAll(knowJobs);
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset();
  organizationId = await createOrganization(house.em(), 'Export');
});

const people = (count: number) =>
  house.sql(
    `insert into contacts (id, organization_id, name, created_at)
     select uuidv7(), $1, 'P ' || n, '2026-01-01'::timestamptz + (n / 7) * interval '1 s' from generate_series(1, $2::int) n`,
    [organizationId, count],
  );

/** A job as the queue would hand it over. */
async function queued(request: ListRequest = { sort: 'created_at' }): Promise<Export> {
  const lane = exportLane(organizationId);
  const { row, operationId } = await house.ledger.transact({ locks: [lane] }, (tx) =>
    queueExport(asTenant(tx, organizationId), 'cli', request),
  );
  await house.ledger.fill(house.pool(exportPool));
  return { id: row.id, organizationId, job: { organization_id: organizationId, id: operationId, run: 1 } };
}

const state = (own: Export) => getExport(ownRows(house.database, organizationId), own.id);
const run = (own: Export, mayGoOn = always) => runExport(house.database, own, mayGoOn, { characters: small });
const namesIn = async (own: Export) => {
  const lines = (await text(fileOf(ownRows(house.database, organizationId), await state(own)))).split('\r\n');
  expect([lines[0]!.startsWith('id,'), lines.at(-1)]).toEqual([true, '']);
  return lines.slice(1, -1).map((line) => line.split(',')[2]);
};
const all = (count: number) => Array.from({ length: count }, (_, index) => `P ${index + 1}`);

test.each([1_150, 1_100, 1, 0])(
  'stopped after each piece, the next run goes on after it, and everybody of %d is there once',
  async (count) => {
    await people(count);
    const own = await queued();
    let runs = 0;
    while ((await run(own, () => false)) === 'paused') {
      runs += 1;
      expect(await state(own)).toMatchObject({ state: 'running', rows_done: Math.min(count, runs * 100) });
      expect((await jobRows.all(house, own.job.id, ['progress']))[0]).toEqual({
        progress: { rows: Math.min(count, runs * 100) },
      });
    }
    // Killed before its end was written, a run finds nothing more to write.
    expect(await run(own)).toBe('over');
    expect((await namesIn(own)).sort()).toEqual(all(count).sort());
    expect(await house.run(handler, { organization_id: organizationId, id: own.job.id })).toEqual({ kind: 'done' });
    expect(await state(own)).toMatchObject({ state: 'succeeded', rows_done: count });
    expect(await checkJobs(house.database)).toEqual([]);
  },
);

test('called off in the middle, it ends at its next piece, and no file is left', async () => {
  await people(350);
  const own = await queued();
  expect(await run(own, () => false)).toBe('paused');
  const within = transactFor(house.ledger.transact, organizationId);
  const look = controlOf(ownRows(house.database, organizationId), own.job.id);
  expect(await within(look, (tx) => callOff(tx, own.job.id, 'cli'))).toBe(true);
  await expect(run(own)).rejects.toBeInstanceOf(Superseded);
  expect(await house.run(handler, { organization_id: organizationId, id: own.job.id })).toEqual({ kind: 'stale' });
  expect(await state(own)).toMatchObject({ state: 'cancelled', pieces: 0, bytes: '0' });
  expect(await exportChunkRows.count(house, { export_id: own.id })).toBe(0);
  expect(await checkJobs(house.database)).toEqual([]);
});

test('two runs at once: one of them leaves it to the other, and everybody is there once', async () => {
  await people(1_350);
  const own = await queued();
  const ends = await Promise.allSettled([run(own), run(own)]);
  const left = ends.filter((end) => end.status === 'rejected');
  expect(left).toHaveLength(1);
  expect(left[0]!.reason).toBeInstanceOf(Superseded);
  expect((await namesIn(own)).sort()).toEqual(all(1_350).sort());
});

test('a run whose job has another run by now writes nothing', async () => {
  await people(10);
  const own = await queued();
  await expect(run({ ...own, job: { ...own.job, run: 2 } })).rejects.toBeInstanceOf(Superseded);
  expect(await state(own)).toMatchObject({ state: 'queued', rows_done: 0 });
});

test('a statement that takes too long spends a try: it does not try for ever', async () => {
  await people(10);
  const own = await queued();
  const running = await house.database.transaction(async (em) => {
    await query(em, 'lock table contacts in access exclusive mode');
    const run = house.run(handler, { organization_id: organizationId, id: own.job.id });
    // What the time limit does.
    const pid = await waitFor(
      'a statement to cut',
      async () => (await lockWaiters(house, { statement: '%from contacts k%' }))[0],
    );
    await cancelStatement(house, pid);
    return { run };
  });
  expect(await running.run).toMatchObject({ kind: 'again', reason: expect.stringContaining('export fewer') });
  expect((await house.row(own.job.id))!.attempts).toBe(1);
});

test('deleted while it is read: what was read does not pass for the whole', async () => {
  await people(250);
  const own = await queued();
  expect(await house.run(handler, { organization_id: organizationId, id: own.job.id })).toEqual({ kind: 'done' });
  const file = fileOf(ownRows(house.database, organizationId), await state(own));
  await house.ledger.transact({}, (tx) => deleteExport(tx.of(organizationId), own.id));
  await expect(text(file)).rejects.toThrow('was deleted');
});

test('forgotten while it runs: out of what is written, and the erasure waits for the rest', async () => {
  await people(250);
  const own = await queued();
  await run(own, () => false);
  const [deleted] = await house.sql<{ id: string; at: string }>(
    `delete from contacts where name = 'P 5' and organization_id = $1 returning id, clock_timestamp()::text as at`,
    [organizationId],
  );
  const forget = () => forgetInFiles(house.ledger.transact, ownRows(house.database, organizationId), [deleted!.id], deleted!.at);
  expect(await forget()).toBe(1);
  expect(await namesIn(own)).not.toContain('P 5');
  expect(await house.run(handler, { organization_id: organizationId, id: own.job.id })).toEqual({ kind: 'done' });
  expect(await forget()).toBe(0);
  expect((await namesIn(own)).sort()).toEqual(
    all(250)
      .filter((name) => name !== 'P 5')
      .sort(),
  );
  expect(await state(own)).toMatchObject({ state: 'succeeded', rows_done: 249 });
});

test.each(['created_at', '-name'])('forgotten, of a file of many pieces by %s: out of those that hold them', async (sort) => {
  await people(3_400);
  const own = await queued({ sort });
  await run(own);
  const written = await namesIn(own);
  const names = [written[0], written[1_700], written.at(-1)];
  const deleted = await contactRows.all(house, { organization_id: organizationId, name: { $in: names as string[] } }, ['id']);
  const ids = deleted.map(({ id }) => id);
  await forgetInFiles(house.ledger.transact, ownRows(house.database, organizationId), ids, new Date().toISOString());
  expect(await namesIn(own)).toEqual(written.filter((name) => !names.includes(name)));
  expect(await state(own)).toMatchObject({ pieces: 34, rows_done: 3_397 });
});

test('failing at the moment of the look, it is not overlooked', async () => {
  await people(150);
  const own = await queued({ sort: 'name', search: 'P' });
  await run(own, () => false);
  const looking = await house.database.transaction(async (em) => {
    await query(em, `update contact_exports set state = 'failed' where id = $1`, [own.id]);
    const look = forgetInFiles(
      house.ledger.transact,
      ownRows(house.database, organizationId),
      [own.id],
      new Date().toISOString(),
    );
    await waitFor('the look to wait for it', () => isLockAwaited(house, { statement: '%contact_exports%' }));
    return { look };
  });
  expect(await looking.look).toBe(0);
  expect(await exportRows.all(house, own.id, ['request', 'position', 'pieces'])).toEqual([
    { request: null, position: null, pieces: 0 },
  ]);
});

test('forgotten after it failed: nothing is left of it, and a retry says that it must be asked for again', async () => {
  await people(150);
  const own = await queued({ sort: 'name', search: 'P' });
  await run(own, () => false);
  await exportRows.change(house, own.id, { state: 'failed' });
  await jobRows.change(house, own.job.id, { state: 'failed' });
  await forgetInFiles(house.ledger.transact, ownRows(house.database, organizationId), [own.id], new Date().toISOString());
  expect(await exportRows.all(house, own.id, ['request', 'position', 'rows_done'])).toEqual([
    { request: null, position: null, rows_done: 0 },
  ]);
  expect(await exportChunkRows.count(house, { export_id: own.id })).toBe(0);
  await expect(retryJob(house.ledger.transact, own.job.id)).rejects.toThrow('ask for it again');
});

test.each(['contact', 'crm'])(
  'an import of %s under way that fails afterwards keeps nobody who was forgotten before',
  async (of) => {
    const id = uuidv7();
    await house.sql(`insert into ${of}_imports (id, organization_id, state, actor) values ($1, $2, 'running', 'cli')`, [
      id,
      organizationId,
    ]);
    await house.sql(`insert into ${of}_import_chunks (organization_id, import_id, number, bytes) values ($1, $2, 0, 'him')`, [
      organizationId,
      id,
    ]);
    const [{ at } = { at: '' }] = await house.sql<{ at: string }>('select clock_timestamp()::text as at');
    const look = () => forgetInFiles(house.ledger.transact, ownRows(house.database, organizationId), [uuidv7()], at);
    expect(await look()).toBe(1);
    await house.sql(`update ${of}_imports set state = 'failed' where id = $1`, [id]);
    expect(await look()).toBe(0);
    expect(await house.sql(`select 1 from ${of}_import_chunks where import_id = $1`, [id])).toEqual([]);
  },
);
