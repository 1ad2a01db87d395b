import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { importDeals } from '../../../src/deals/import/run.ts';
import type { ImportRequest } from '../../../src/imports/import.entity.ts';
import { getCrmImport, queueCrmImport } from '../../../src/imports/imports.ts';
import { crmImportLane, crmUploads } from '../../../src/imports/tables.ts';
import { knowJobs } from '../../../src/jobs.ts';
import { createOrganization } from '../../../src/organizations/organizations.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { importPool } from '../../../src/platform/imports/pool.ts';
import type { Import } from '../../../src/platform/imports/progress.ts';
import { receiveUpload } from '../../../src/platform/imports/upload.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { callOff, controlOf } from '../../../src/platform/ledger/control.ts';
import { retryJob } from '../../../src/platform/ledger/retry.ts';
import { Superseded } from '../../../src/platform/ledger/superseded.ts';
import { asTenant, transactFor } from '../../../src/platform/ledger/tenant.ts';
import { importRecords } from '../../../src/records/import/run.ts';
import { createType, deleteType } from '../../../src/records/types/change-types.ts';
import { typeLane, typesLock } from '../../../src/records/types/jobs.ts';
import { typeForWrite } from '../../../src/records/types/object-type.ts';
import { createRecord } from '../../../src/records/write.ts';
import { importCrm } from '../../../workers/crm/import-crm.ts';
import { type House, openHouse, type ToyHandler } from '../../support/house.ts';
import { waitFor } from '../../support/wait-for.ts';
import { fieldRows, recordRows, typeRows } from '../../support/work/crm.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { lockWaiters, terminateConnection } from '../../support/work/locks.ts';
import { rightNow } from '../../support/work/rows.ts';

let house: House;
let organizationId: string;
const handler = importCrm as unknown as ToyHandler;
const small = { rows: 250, characters: 1e6 };
const always = () => true;
const byDomain: ImportRequest = { mode: 'upsert', key: 'domain', source: null, columns: {}, seesContacts: true };
const byOldId = { ...byDomain, key: 'custom_fields.old_id' };

beforeAll(knowJobs);
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset();
  organizationId = await createOrganization(house.em(), 'Import');
});

const own = () => ownRows(house.database, organizationId);

/** A file as the API takes it, and its job as the queue would hand it over. */
async function queued(file: string, kind = 'company', request = byDomain): Promise<Import> {
  const { ledger } = house;
  const receiving = { own: own(), transact: ledger.transact, maxBytes: 1e8, maxQueued: 10 };
  const upload = await receiveUpload(crmUploads, receiving, 'cli', Readable.from([Buffer.from(file)]));
  const { operationId } = await ledger.transact({ locks: [crmImportLane(organizationId)] }, (tx) =>
    queueCrmImport(asTenant(tx, organizationId), upload, kind, request),
  );
  await ledger.fill(house.pool(importPool));
  return { id: upload.importId, organizationId, job: { organization_id: organizationId, id: operationId, run: 1 } };
}

const companies = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => `C ${from + n},c${from + n}.example,${n % 500}`);
const fileOf = (lines: string[]) => `${['name,domain,employees', ...lines].join('\n')}\n`;
async function run(running: Import, mayGoOn: () => boolean | Promise<boolean> = always, done?: number) {
  const { rows_done, object_kind: kind, request } = await getCrmImport(own(), running.id);
  const deps = { own: own(), transact: transactFor(house.ledger.transact, organizationId) };
  const importing = { ...running, kind: kind!, request: request as ImportRequest };
  return (kind === 'deal' ? importDeals : importRecords)(deps, importing, done ?? rows_done, mayGoOn, small);
}
const state = async ({ id }: Import) => {
  const found = await getCrmImport(own(), id);
  const { state: is, rows_done: rows, created_count: created, updated_count: updated } = found;
  return { is, rows, created, updated, unchanged: found.unchanged_count, failed: found.failed_count };
};
async function removeField(name: string): Promise<void> {
  const field = await fieldRows.one(house, { organization_id: organizationId, name });
  const { version } = await typeRows.one(house, field.type_id);
  await fieldRows.change(house, field.id, { removed_at: rightNow() });
  await typeRows.change(house, field.type_id, { version: version + 1 });
}
const count = async (table: string) =>
  (await house.sql<{ n: number }>(`select count(*)::int as n from ${table} where organization_id = $1`, [organizationId]))[0]!.n;

describe('a run that ends in the middle', () => {
  test('stopped between two batches, the next goes on after the last one, and the job tells of it once', async () => {
    const running = await queued(fileOf([...companies(1_000), 'x', ...companies(10)]));
    let batches = 0;
    const stopped = () => {
      batches += 1;
      return batches <= 2;
    };
    expect(await run(running, stopped)).toBe('paused');
    expect(await state(running)).toEqual({ is: 'running', rows: 500, created: 500, updated: 0, unchanged: 0, failed: 0 });
    expect((await jobRows.all(house, running.job.id, ['progress']))[0]).toEqual({
      progress: { rows: 500, failed: 0 },
    });
    expect(await run(running)).toBe('over');
    expect(await state(running)).toMatchObject({ rows: 1_011, created: 1_000, unchanged: 10, failed: 1 });
    expect([await count('records'), await count('crm_history'), await count('events')]).toEqual([1_000, 1_000, 0]);
    expect(await house.run(handler, { organization_id: organizationId, id: running.job.id })).toEqual({ kind: 'done' });
    expect(await state(running)).toMatchObject({ is: 'succeeded', rows: 1_011 });
    expect([await count('crm_import_chunks'), await count('events')]).toEqual([0, 1]);
    expect(await house.run(handler, { organization_id: organizationId, id: running.job.id })).toEqual({ kind: 'stale' });
    expect([await count('records'), await count('events')]).toEqual([1_000, 1]);
  });

  test.each([
    ['company', byDomain, 'record_values', fileOf(companies(1_000))],
    [
      'deal',
      byOldId,
      'crm_history',
      `title,custom_fields.old_id\n${companies(1_000)
        .map((_, n) => `D ${n},${n}`)
        .join('\n')}\n`,
    ],
  ])('killed within a batch of %s, nothing of it is done and nothing is counted twice', async (kind, request, table, file) => {
    const running = await queued(file, kind, request);
    let batches = 0;
    const held = await house.database.pool.connect();
    // From the third batch on a table is somebody's: the run dies there, as a worker does that loses its connection.
    const hold = async () => {
      batches += 1;
      if (batches === 3) await held.query(`begin; lock table ${table} in share mode`);
      return true;
    };
    const dying = run(running, hold).catch((error: Error) => error.message);
    const inserting = { statement: `%insert into ${table}%` };
    const pid = await waitFor('the batch to wait', async () => (await lockWaiters(house, inserting))[0]);
    // As often as it is repeated.
    let isOver = false;
    void dying.then(() => {
      isOver = true;
    });
    await house.sql('select pg_terminate_backend($1)', [pid]);
    await waitFor('the run to die', async () => {
      if (!isOver) for (const again of await lockWaiters(house, inserting)) await terminateConnection(house, again);
      return isOver;
    });
    await held.query('rollback');
    held.release();
    expect(await state(running)).toMatchObject({ rows: 500, created: 500 });
    const objects = kind === 'deal' ? 'deals' : 'records';
    expect([await count(objects), await count('crm_history')]).toEqual([500, 500]);
    expect(await run(running)).toBe('over');
    expect(await state(running)).toMatchObject({ rows: 1_000, created: 1_000, unchanged: 0, updated: 0 });
    expect([await count(objects), await count('crm_history')]).toEqual([1_000, 1_000]);
  });

  test('two runs at once: one of them leaves it to the other, and each row counts once', async () => {
    const running = await queued(fileOf(companies(1_000)));
    const ends = await Promise.allSettled([run(running, always, 0), run(running, always, 0)]);
    const left = ends.filter((end) => end.status === 'rejected');
    expect(left.length).toBeGreaterThan(0);
    for (const { reason } of left) expect(reason).toBeInstanceOf(Superseded);
    if ((await state(running)).rows < 1_000) await run(running);
    expect(await state(running)).toMatchObject({ rows: 1_000, created: 1_000, unchanged: 0 });
    expect(await count('records')).toBe(1_000);
  });
});

test('what the API makes at the same moment becomes one record each', async () => {
  const transact = transactFor(house.ledger.transact, organizationId);
  const create = (n: number) =>
    transact({}, async ({ own: tx }) => {
      const type = await typeForWrite(tx, 'company');
      await createRecord(tx, type, 'cli', { fields: { name: 'API', domain: `c${n}.example` } });
    });
  const running = await queued(fileOf(companies(500)));
  const made = Promise.allSettled(Array.from({ length: 40 }, (_, n) => create(n * 12)));
  expect(await run(running)).toBe('over');
  for (const end of await made) if (end.status === 'rejected') expect(String(end.reason)).toMatch(/has this domain/);
  expect(await count('records')).toBe(500);
  const { created, updated } = await state(running);
  expect(created + updated).toBe(500);
});

test('a field that is removed meanwhile fails the file there; what came before stays', async () => {
  const running = await queued(fileOf(companies(500)));
  let batches = 0;
  const remove = async () => {
    batches += 1;
    if (batches === 2) await removeField('employees');
    return true;
  };
  await expect(run(running, remove)).rejects.toMatchObject({ code: 'header.unknown', column: 'employees' });
  expect(await state(running)).toMatchObject({ rows: 250, created: 250 });
});

test('a type that is deleted and made again by its name meanwhile fails the file: nothing goes into the new one', async () => {
  const transact = transactFor(house.ledger.transact, organizationId);
  const make = () =>
    transact({ locks: [typesLock(organizationId)] }, ({ own: tx }) => createType(tx, { kind: 'project', label: 'Project' }));
  const remake = async () => {
    await transact({ locks: [typeLane(organizationId, 'project')] }, ({ own: tx }) => deleteType(tx, 'project'));
    return make();
  };
  const { id: typeId } = await make();
  const request = { ...byDomain, key: null, typeId };
  const file = `name\n${'P\n'.repeat(500)}`;
  const running = await queued(file, 'project', request);
  let batches = 0;
  let other = '';
  const remadeBeforeTheSecond = async () => {
    batches += 1;
    if (batches === 2) other = (await remake()).id;
    return true;
  };
  await expect(run(running, remadeBeforeTheSecond)).rejects.toMatchObject({ code: 'kind.unknown' });
  expect(await state(running)).toMatchObject({ rows: 250, created: 250 });
  await expect(run(await queued(file, 'project', request))).rejects.toMatchObject({ code: 'kind.unknown' });
  expect(await recordRows.all(house, { type_id: other }, ['id'])).toEqual([]);
});

test('called off in the middle, it ends at its next batch: what is imported stays, and the file goes', async () => {
  const running = await queued(fileOf(companies(600)));
  const look = controlOf(own(), running.job.id);
  const within = transactFor(house.ledger.transact, organizationId);
  let asked = 0;
  const calledOffBeforeTheSecond = async () => {
    asked += 1;
    if (asked === 2) expect(await within(look, (tx) => callOff(tx, running.job.id, 'cli'))).toBe(true);
    return true;
  };
  await expect(run(running, calledOffBeforeTheSecond)).rejects.toBeInstanceOf(Superseded);
  const before = await state(running);
  expect(before).toMatchObject({ is: 'cancelled', rows: 250, created: 250 });
  expect(await house.run(handler, { organization_id: organizationId, id: running.job.id })).toEqual({ kind: 'stale' });
  expect([await state(running), await count('crm_import_chunks')]).toEqual([before, 0]);
  expect(JSON.stringify(await checkJobs(house.database))).not.toContain(running.id);
});

test('a broken file fails the job for good; a retry says that it must come again', async () => {
  const running = await queued('colour\nred\n');
  expect(await house.run(handler, { organization_id: organizationId, id: running.job.id })).toMatchObject({
    kind: 'failed',
    error: { code: 'header.missing' },
  });
  expect(await state(running)).toMatchObject({ is: 'failed' });
  expect(await count('crm_import_chunks')).toBe(0);
  await expect(retryJob(house.ledger.transact, running.job.id)).rejects.toThrow('upload it again');
});
