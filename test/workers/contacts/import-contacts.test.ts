import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import type { ContactFields } from '../../../src/contacts/fields.ts';
import { getImport, queueImport } from '../../../src/contacts/import/imports.ts';
import { runImport } from '../../../src/contacts/import/run.ts';
import { contactUploads, importLane } from '../../../src/contacts/import/tables.ts';
import { upsertContact, upsertOptions } from '../../../src/contacts/upsert.ts';
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
import { importContacts } from '../../../workers/contacts/import-contacts.ts';
import { type House, openHouse, type ToyHandler } from '../../support/house.ts';
import { waitFor } from '../../support/wait-for.ts';
import { contactImportErrorRows, contactImportRows, contactRows } from '../../support/work/contacts.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { lockWaiters, terminateConnection } from '../../support/work/locks.ts';

let house: House;
let organizationId: string;
const handler = importContacts as unknown as ToyHandler;
const small = { rows: 250, characters: 1e6 };
const always = () => true;

beforeAll(knowJobs);
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset();
  organizationId = await createOrganization(house.em(), 'Import');
});

/** A file as the API takes it, and its job as the queue would hand it over. */
async function queued(file: string): Promise<Import> {
  const { database, ledger } = house;
  const upload = await receiveUpload(
    contactUploads,
    { own: ownRows(database, organizationId), transact: ledger.transact, maxBytes: 1e8, maxQueued: 10 },
    'cli',
    Readable.from([Buffer.from(file)]),
  );
  const lane = importLane(organizationId);
  const { operationId } = await ledger.transact({ locks: [lane] }, (tx) => queueImport(asTenant(tx, organizationId), upload));
  await ledger.fill(house.pool(importPool));
  return { id: upload.importId, organizationId, job: { organization_id: organizationId, id: operationId, run: 1 } };
}

const upsert = (fields: ContactFields) =>
  house.ledger.transact(upsertOptions(ownRows(house.em(), organizationId), fields), (tx, owner) =>
    upsertContact(tx.of(organizationId), house.deps.secrets, fields, owner),
  );
const phone = (number: number) => `+1650555${String(number).padStart(4, '0')}`;
const rows = (count: number) =>
  Array.from({ length: count }, (_, number) => `${phone(number)},P ${number},p${number}@example.com`);
const fileOf = (lines: string[]) => `${['phone_number,name,email', ...lines].join('\n')}\n`;
const run = (own: Import, mayGoOn: () => boolean | Promise<boolean> = always, done?: number) =>
  getImport(ownRows(house.database, organizationId), own.id).then(({ rows_done }) =>
    runImport(house.deps, own, done ?? rows_done, mayGoOn, small),
  );
const state = async (own: Import) => {
  const {
    state: is,
    rows_done,
    created_count,
    updated_count,
    unchanged_count,
    failed_count,
  } = await getImport(ownRows(house.database, organizationId), own.id);
  return {
    is,
    rows: rows_done,
    created: created_count,
    updated: updated_count,
    unchanged: unchanged_count,
    failed: failed_count,
  };
};
const count = async (table: string) =>
  (await house.sql<{ n: number }>(`select count(*)::int as n from ${table} where organization_id = $1`, [organizationId]))[0]!.n;

describe('a run that ends in the middle', () => {
  test('stopped between two batches, the next goes on after the last one', async () => {
    const own = await queued(fileOf([...rows(3_000), '12,Bad,', ...rows(10)]));
    let batches = 0;
    const stopped = () => {
      batches += 1;
      return batches <= 4;
    };
    expect(await run(own, stopped)).toBe('paused');
    expect(await state(own)).toEqual({ is: 'running', rows: 1_000, created: 1_000, updated: 0, unchanged: 0, failed: 0 });
    expect((await jobRows.all(house, own.job.id, ['progress']))[0]).toEqual({
      progress: { rows: 1_000, failed: 0 },
    });
    expect(await run(own)).toBe('over');
    expect(await state(own)).toEqual({ is: 'running', rows: 3_011, created: 3_000, updated: 0, unchanged: 10, failed: 1 });
    expect([await count('contacts'), await count('contact_identities')]).toEqual([3_000, 9_000]);
    expect(await contactImportErrorRows.all(house, { import_id: own.id }, ['line', 'column_name'])).toEqual([
      { line: 3_002, column_name: 'phone_number' },
    ]);
    // And the job's own end.
    expect(await house.run(handler, { organization_id: organizationId, id: own.job.id })).toEqual({ kind: 'done' });
    expect(await state(own)).toMatchObject({ is: 'succeeded', rows: 3_011 });
    expect([await count('contact_import_chunks'), await count('events')]).toEqual([0, 1]);
  });

  test('killed within a batch, nothing of it is done and nothing is counted twice', async () => {
    const own = await queued(fileOf(rows(1_000)));
    // Its third batch meets a contact that somebody holds, and dies there, as a worker does that loses its connection.
    const held = await house.database.pool.connect();
    await held.query('begin');
    await held.query(
      `with k as (insert into contacts (id, organization_id) values (uuidv7(), $1) returning id)
       insert into contact_identities (id, organization_id, contact_id, type, value) select uuidv7(), $1, id, 'phone', $2 from k`,
      [organizationId, phone(600)],
    );
    const dying = run(own).catch((error: Error) => error.message);
    const inserting = { statement: '%insert into contact_identities%' };
    const pid = await waitFor('the batch to wait', async () => (await lockWaiters(house, inserting))[0]);
    await terminateConnection(house, pid);
    expect(await dying).toMatch(/terminat/i);
    await held.query('rollback');
    held.release();
    expect(await state(own)).toMatchObject({ rows: 500, created: 500 });
    expect(await count('contacts')).toBe(500);
    expect(await run(own)).toBe('over');
    expect(await state(own)).toMatchObject({ rows: 1_000, created: 1_000, unchanged: 0, updated: 0 });
    expect([await count('contacts'), await count('contact_identities')]).toEqual([1_000, 3_000]);
  });

  test('two runs at once: one of them leaves it to the other, and each row counts once', async () => {
    const own = await queued(fileOf(rows(1_500)));
    const ends = await Promise.allSettled([run(own, always, 0), run(own, always, 0)]);
    const left = ends.filter((end) => end.status === 'rejected');
    expect(left.length).toBeGreaterThan(0);
    for (const { reason } of left) expect(reason).toBeInstanceOf(Superseded);
    if ((await state(own)).rows < 1_500) await run(own);
    expect(await state(own)).toMatchObject({ rows: 1_500, created: 1_500, unchanged: 0 });
    expect(await count('contacts')).toBe(1_500);
  });
});

test('people whom the API makes at the same moment become one contact each', async () => {
  const own = await queued(fileOf(rows(1_000)));
  const create = async (fields: ContactFields) => (await upsert(fields)).isNew;
  const api = async () => {
    const made: boolean[] = [];
    for (let number = 990; number > 0; number -= 10)
      made.push(
        await create(number % 20 ? { phone_number: phone(number) } : { email: `P${number}@example.com`, name: 'By API' }),
      );
    return made;
  };
  const [, made] = await Promise.all([run(own), api()]);
  const { created, updated, unchanged, failed } = await state(own);
  expect([created + made.filter(Boolean).length, failed]).toEqual([1_000, 0]);
  expect(created + updated + unchanged).toBe(1_000);
  expect([await count('contacts'), await count('contact_identities')]).toEqual([1_000, 3_000]);
});

test('more changed contacts than a transaction may lock are changed in more of them', async () => {
  await house.run(handler, { organization_id: organizationId, id: (await queued(fileOf(rows(1_300)))).job.id });
  const changed = await queued(fileOf(rows(1_300).map((line) => line.replace(',P ', ',Q '))));
  expect(await runImport(house.deps, changed, 0, always)).toBe('over');
  expect(await state(changed)).toMatchObject({ rows: 1_300, updated: 1_300, created: 0 });
  expect(await contactRows.count(house, { organization_id: organizationId, name: { $like: 'P%' } })).toBe(0);
});

test('an organization with many files has one of the two places of the installation', async () => {
  const many = [await queued(fileOf(rows(1))), await queued(fileOf(rows(2))), await queued(fileOf(rows(3)))];
  organizationId = await createOrganization(house.em(), 'Another');
  const another = await queued(fileOf(rows(4)));
  const states = await Promise.all([...many, another].map(({ job }) => house.row(job.id)));
  expect(states.map((row) => row?.state)).toEqual(['queued', 'blocked', 'blocked', 'queued']);
});

test('rows of one phone are one write a batch, however many', async () => {
  const own = await queued(fileOf(Array.from({ length: 6_000 }, (_, number) => `${phone(1)},P ${number},`)));
  const statements = jest.spyOn(pg.Client.prototype, 'query');
  expect(await runImport(house.deps, own, 0, always)).toBe('over');
  // A batch takes some statements, not some for each of its rows.
  expect(statements.mock.calls.length).toBeLessThan(1_000);
  statements.mockRestore();
  expect(await state(own)).toMatchObject({ rows: 6_000, created: 1, updated: 5_999, failed: 0 });
  expect(await contactRows.all(house, { organization_id: organizationId }, ['name'])).toEqual([{ name: 'P 5999' }]);
});

test('called off in the middle, it ends at its next batch: what is imported stays, and the file goes', async () => {
  const own = await queued(fileOf(rows(600)));
  const within = transactFor(house.ledger.transact, organizationId);
  const look = controlOf(ownRows(house.database, organizationId), own.job.id);
  let asked = 0;
  const calledOffBeforeTheSecond = async () => {
    asked += 1;
    if (asked === 2) expect(await within(look, (tx) => callOff(tx, own.job.id, 'cli'))).toBe(true);
    return true;
  };
  await expect(run(own, calledOffBeforeTheSecond)).rejects.toBeInstanceOf(Superseded);
  const before = await state(own);
  expect(before).toMatchObject({ is: 'cancelled', rows: 250, created: 250 });
  expect(await house.run(handler, { organization_id: organizationId, id: own.job.id })).toEqual({ kind: 'stale' });
  expect([await state(own), await count('contact_import_chunks')]).toEqual([before, 0]);
  expect(JSON.stringify(await checkJobs(house.database))).not.toContain(own.id);
});

test('a broken file fails the job for good; a retry says that it must come again', async () => {
  const own = await queued('colour\nred\n');
  expect(await house.run(handler, { organization_id: organizationId, id: own.job.id })).toMatchObject({
    kind: 'failed',
    error: { code: 'header.missing' },
  });
  expect(await state(own)).toMatchObject({ is: 'failed' });
  expect(await count('contact_import_chunks')).toBe(0);
  await expect(retryJob(house.ledger.transact, own.job.id)).rejects.toThrow('upload it again');
  const report = await checkJobs(house.database);
  expect(JSON.stringify(report)).not.toContain(own.id);
});

describe('a row whose identities are of two contacts', () => {
  const make = async (fields: ContactFields) => {
    await upsert(fields);
  };

  test.each([1, 2])('is refused, alone and among others, and the others are imported (%d)', async (others) => {
    await make({ phone_number: phone(1) });
    await make({ email: 'p2@example.com' });
    const own = await queued(fileOf([`${phone(1)},C,p2@example.com`, ...rows(others + 2).slice(3)]));
    expect(await run(own)).toBe('over');
    expect(await state(own)).toMatchObject({ rows: others, created: others - 1, updated: 0, failed: 1 });
    const errors = await contactImportErrorRows.all(house, { import_id: own.id }, ['line', 'code']);
    expect(errors).toEqual([{ line: 2, code: 'conflict' }]);
  });

  test('is refused behind rows of either, again and again', async () => {
    const file = fileOf([
      `${phone(1)},A,`,
      ',B,b@example.com',
      `${phone(1)},C,b@example.com`,
      `${phone(4)},D,`,
      `${phone(1)},A,`,
    ]);
    for (const [created, unchanged] of [
      [3, 1],
      [0, 4],
      [0, 4],
    ]) {
      const own = await queued(file);
      expect(await run(own)).toBe('over');
      expect(await state(own)).toMatchObject({ rows: 5, created, updated: 0, unchanged, failed: 1 });
      await contactImportRows.change(house, {}, { state: 'succeeded' });
      await jobRows.remove(house);
    }
  });
});
