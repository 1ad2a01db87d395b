import { beforeAll, describe, expect, test } from '@jest/globals';
import { knowJobs } from '../../../src/jobs.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { removeEarlierUnique } from '../../../src/records/types/earlier-unique.ts';
import { endIndex } from '../../../src/records/types/end-walk.ts';
import { writeIndexed } from '../../../src/records/types/indexed-values.ts';
import { loadType, typeForWrite } from '../../../src/records/types/object-type.ts';
import { firstSize, nextSize, takeIndexStep } from '../../../src/records/types/walk.ts';
import { indexField } from '../../../workers/crm/index-field.ts';
import type { RunContext } from '../../../workers/handler.ts';
import { useApp } from '../../support/app.ts';
import { records } from '../../support/factories/records.ts';
import { fieldRows, recordRows, recordValueRows } from '../../support/work/crm.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { rightNow } from '../../support/work/rows.ts';

const app = useApp({});
const transact = () => transactFor(app.web.deps.ledger.transact, app.tenant.organizationId);
const own = () => ownRows(app.web.deps.database, app.tenant.organizationId);
const index = (objectKind: string, body: object = { indexed: true }) =>
  app.call('crm.object-fields.update', { params: { objectKind, fieldName: 'size' }, body });
const fieldOf = async (kind: string) => (await loadType(own(), kind))!.fields.find(({ name }) => name === 'size')!;

async function kindOf(count: number): Promise<{ kind: string; ids: string[] }> {
  const kind = `walked${count}`;
  const fields = [
    { name: 'name', type: 'text' },
    { name: 'size', type: 'number' },
  ];
  await app.call('crm.object-types.create', { body: { kind, label: 'Walked', fields } });
  const made = await records(
    transact(),
    kind,
    Array.from({ length: count }, (_, size) => ({ size })),
  );
  return { kind, ids: made.map(({ id }) => id) };
}
const indexed = async (fieldId: string): Promise<number[]> =>
  (await recordValueRows.all(app, { field_id: fieldId }, ['number_value'], { number_value: 'asc' })).map(({ number_value }) =>
    Number(number_value),
  );
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

/** A step that dies before its commit. */
async function killedStep(fieldId: string) {
  const dying = transact();
  const killed: typeof dying = (options, work) =>
    dying(options, async (tx, seen) => {
      await work(tx, seen);
      throw new Error('killed');
    });
  await expect(takeIndexStep(killed, own(), fieldId, 7)).rejects.toThrow('killed');
}

test('killed in every step and begun again, each value is there once', async () => {
  const { kind } = await kindOf(50);
  expect((await index(kind)).body.index_state).toBe('building');
  const { id } = await fieldOf(kind);
  for (let steps = 0; ; steps += 1) {
    await killedStep(id);
    const step = await takeIndexStep(transact(), own(), id, 7);
    expect(await indexed(id)).toEqual(numbers(Math.min(50, (steps + 1) * 7)));
    if (step?.isLast) break;
  }
  await fieldRows.change(app, id, { walked_to: null });
  while (!(await takeIndexStep(transact(), own(), id, 20))?.isLast);
  expect(await indexed(id)).toEqual(numbers(50));
});

test('a record that is written meanwhile has its new value, whether the walk was there or not', async () => {
  const { kind, ids } = await kindOf(20);
  await index(kind);
  const { id } = await fieldOf(kind);
  await takeIndexStep(transact(), own(), id, 10);
  const write = (recordId: string, before: number, after: number | undefined) =>
    transact()({}, async ({ own: tx }) => {
      const type = await typeForWrite(tx, kind);
      const fields = after === undefined ? {} : { size: after };
      await tx.sql('update records set fields = $3 where organization_id = $1 and id = $2', [recordId, JSON.stringify(fields)]);
      await writeIndexed(tx, type, recordId, { size: before }, fields);
    });
  await write(ids[0]!, 0, 100);
  await write(ids[1]!, 1, undefined);
  await write(ids[18]!, 18, 118);
  await write(ids[19]!, 19, undefined);
  while (!(await takeIndexStep(transact(), own(), id, 10))?.isLast);
  expect(await indexed(id)).toEqual([...numbers(18).filter((n) => n > 1), 100, 118]);
});

test('a writer that is at work when the walk comes is waited for, and its value is the one indexed', async () => {
  const { kind, ids } = await kindOf(3);
  await index(kind);
  const { id } = await fieldOf(kind);
  let step: Promise<unknown> | undefined;
  await transact()({}, async ({ own: tx }) => {
    const type = await typeForWrite(tx, kind);
    await tx.sql(`update records set fields = '{"size": 77}' where organization_id = $1 and id = $2`, [ids[1]]);
    step = takeIndexStep(transact(), own(), id, 10);
    await tx.sql('select pg_sleep(0.2), $1::uuid');
    await writeIndexed(tx, type, ids[1]!, { size: 1 }, { size: 77 });
  });
  await step;
  expect(await indexed(id)).toEqual([0, 2, 77]);
});

test('records in the bin have no rows, and a step of a field that is no more does nothing', async () => {
  const { kind, ids } = await kindOf(5);
  await recordRows.change(app, ids[2]!, { deleted_at: rightNow() });
  await index(kind);
  const { id } = await fieldOf(kind);
  await takeIndexStep(transact(), own(), id, 10);
  expect(await indexed(id)).toEqual([0, 1, 3, 4]);
  await app.call('crm.object-fields.delete', { params: { objectKind: kind, fieldName: 'size' } });
  expect(await takeIndexStep(transact(), own(), id, 10)).toBeUndefined();
});

test('a field that is indexed again before its old rows are gone has only the rows of the present values', async () => {
  const { kind, ids } = await kindOf(6);
  await index(kind);
  const { id } = await fieldOf(kind);
  await takeIndexStep(transact(), own(), id, 10);
  await index(kind, { indexed: false });
  const without = { params: { objectKind: kind, recordID: ids[1]! }, body: { fields: { size: null } } };
  expect((await app.call('crm.records.update', without)).status).toBe(200);
  await index(kind);
  await takeIndexStep(transact(), own(), id, 10);
  expect(await indexed(id)).toEqual([0, 2, 3, 4, 5]);
});

test('a field that is unique again before its old rows are gone is not refused for values that are gone', async () => {
  const { kind, ids } = await kindOf(9);
  await index(kind, { unique: true });
  const { id } = await fieldOf(kind);
  await takeIndexStep(transact(), own(), id, 10);
  await index(kind, { unique: false, indexed: false });
  const write = (recordID: string, size: number) =>
    app.call('crm.records.update', { params: { objectKind: kind, recordID }, body: { fields: { size } } });
  // Two records change their values with each other.
  expect((await write(ids[0]!, 5)).status).toBe(200);
  expect((await write(ids[5]!, 0)).status).toBe(200);
  expect((await index(kind, { unique: true })).status).toBe(200);
  expect((await write(ids[3]!, 30)).status).toBe(200);
  expect(await takeIndexStep(transact(), own(), id, 10)).toMatchObject({ isLast: true });
  expect(await indexed(id)).toEqual([...numbers(9).filter((n) => n !== 3), 30]);
  expect((await write(ids[1]!, 5)).status).toBe(409);
});

test('too many old rows of a unique field are left to the walk: 409, and nothing is changed', async () => {
  const { kind } = await kindOf(10);
  await index(kind, { unique: true });
  const field = await fieldOf(kind);
  await takeIndexStep(transact(), own(), field.id, 10);
  await index(kind, { unique: false, indexed: false });
  const remove = transact()({}, ({ own: tx }) => removeEarlierUnique(tx, field, 9));
  await expect(remove).rejects.toMatchObject({ code: 'conflict', retryAfterSeconds: 5 });
  expect(await indexed(field.id)).toEqual(numbers(10));
  await takeIndexStep(transact(), own(), field.id, 10);
  await transact()({}, ({ own: tx }) => removeEarlierUnique(tx, field, 9));
  expect(await indexed(field.id)).toEqual([]);
});

test('a walk that was begun anew since its last step does not end the index', async () => {
  const { kind } = await kindOf(7);
  await index(kind);
  const { id } = await fieldOf(kind);
  const step = await takeIndexStep(transact(), own(), id, 10);
  await index(kind, { unique: true });
  const end = (walkedTo: string | null) => transact()({}, ({ own: tx }) => endIndex(tx, id, walkedTo));
  await end(step!.walkedTo);
  expect((await fieldOf(kind)).indexState).toBe('building');
  await end((await takeIndexStep(transact(), own(), id, 10))!.walkedTo);
  expect((await fieldOf(kind)).indexState).toBe('ready');
});

test('while a field becomes unique nobody is found by it: 409, and no second record of the value', async () => {
  const { kind } = await kindOf(8);
  await index(kind, { unique: true });
  const by = { params: { objectKind: kind, fieldName: 'size', value: '3' }, body: {} };
  const early = await app.call('crm.records.upsert', by);
  expect([early.status, early.headers.get('retry-after')]).toEqual([409, '5']);
  const { id } = await fieldOf(kind);
  const step = await takeIndexStep(transact(), own(), id, 10);
  await transact()({}, ({ own: tx }) => endIndex(tx, id, step!.walkedTo));
  expect((await app.call('crm.records.upsert', by)).status).toBe(200);
  expect(await indexed(id)).toEqual(numbers(8));
});

test.each([
  { size: 20, tookMs: 1, next: 30 },
  { size: 5, tookMs: 3, next: 8 },
  { size: 900, tookMs: 19, next: 1_000 },
  { size: 1_000, tookMs: 19, next: 1_000 },
  { size: 300, tookMs: 20, next: 300 },
  { size: 300, tookMs: 40, next: 300 },
  { size: 300, tookMs: 41, next: 146 },
  { size: 400, tookMs: 600, next: 13 },
  { size: 20, tookMs: 2_000, next: 5 },
  { size: 5, tookMs: 60, next: 5 },
])('after $size records in $tookMs ms the next step takes $next', ({ size, tookMs, next }) => {
  expect(nextSize(size, tookMs)).toBe(next);
});

test('the walk of wide values begins with few, goes on with as many as their time allows, and each value is there', async () => {
  const values = Array.from({ length: 30 }, (_, n) => `v${n}`);
  const tags = { name: 'tags', type: 'multi_select', options: values.map((value) => ({ value, label: value })) };
  const fields = [{ name: 'name', type: 'text' }, tags];
  await app.call('crm.object-types.create', { body: { kind: 'wide', label: 'Wide', fields } });
  await records(
    transact(),
    'wide',
    Array.from({ length: 200 }, () => ({ tags: values })),
  );
  const changed = { params: { objectKind: 'wide', fieldName: 'tags' }, body: { indexed: true } };
  expect((await app.call('crm.object-fields.update', changed)).body.index_state).toBe('building');
  const { id } = (await loadType(own(), 'wide'))!.fields.find(({ name }) => name === 'tags')!;
  const sizes = await stepsOfRun(id);
  expect(sizes[0]).toBe(firstSize);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(200);
  for (const [index, size] of sizes.slice(1).entries()) expect(size).toBeLessThanOrEqual(Math.ceil(sizes[index]! * 1.5));
  expect(await recordValueRows.count(app, { field_id: id })).toBe(6_000);
  expect((await loadType(own(), 'wide'))!.fields.find(({ name }) => name === 'tags')!.indexState).toBe('ready');
});

/** Runs the job's handler to its end. How many records each step took. */
async function stepsOfRun(fieldId: string): Promise<number[]> {
  const sizes: number[] = [];
  const noted: ReturnType<typeof transact> = async (options, work) => {
    const result = await transact()(options, work);
    if (result && typeof result === 'object' && 'done' in result) sizes.push(result.done as number);
    return result;
  };
  const context = {
    own: own(),
    transact: noted,
    facts: {},
    config: { bulkTimeShare: 1 },
    isStopping: () => false,
    finish: async (work?: Parameters<ReturnType<typeof transact>>[1]) => {
      if (work) await transact()({}, work);
      return { kind: 'done' };
    },
  };
  expect(await indexField.run({ field_id: fieldId }, context as unknown as RunContext)).toEqual({ kind: 'done' });
  return sizes.filter((size) => size > 0);
}

describe('the check of the jobs', () => {
  beforeAll(knowJobs);
  const endAll = (id: string, state: string) =>
    jobRows.change(
      app,
      { subject_id: id, state: { $in: ['blocked', 'waiting', 'queued'] } },
      { state: state as 'failed', finished_at: rightNow(), lane: null },
    );
  const found = async (id: string) => {
    const jobs = await jobRows.all(app, { subject_id: id }, ['id']);
    const ids = new Set([id, ...jobs.map((row) => row.id)]);
    return (await checkJobs(app.web.deps.database)).filter((one) => ids.has(one.id));
  };

  /** A field whose index is built. */
  async function ready(count: number): Promise<{ kind: string; id: string }> {
    const { kind } = await kindOf(count);
    await index(kind);
    const { id } = await fieldOf(kind);
    await fieldRows.change(app, id, { index_state: 'ready', walked_to: null });
    await endAll(id, 'done');
    return { kind, id };
  }

  test.each([
    { count: 11, changes: [{ indexed: false }] },
    { count: 13, changes: [{ indexed: false }, { indexed: true }, { indexed: false }, { indexed: true }] },
  ])('$changes.length changes of an index in a row break no rule', async ({ count, changes }) => {
    const { kind, id } = await ready(count);
    for (const change of changes) expect((await index(kind, change)).headers.get('operation-id')).not.toBeNull();
    expect(await found(id)).toEqual([]);
  });

  test.each([
    { count: 14, failed: 'crm.replace-options' },
    { count: 15, failed: 'crm.index-field' },
  ])('a walk that is lost is found after a failed $failed', async ({ count, failed }) => {
    const { kind, id } = await ready(count);
    await index(kind, { indexed: false });
    await endAll(id, 'failed');
    await jobRows.change(app, { subject_id: id, state: 'failed' }, { name: failed });
    await index(kind, { unique: true });
    expect(await found(id)).toEqual([]);
    await endAll(id, 'done');
    expect(await found(id)).toEqual([{ rule: 'a subject without an end has a live row', id, detail: 'object_field' }]);
  });

  test('a walk whose last job failed waits for somebody, and is no finding', async () => {
    const { kind, id } = await ready(16);
    await index(kind, { unique: true });
    await endAll(id, 'failed');
    expect(await found(id)).toEqual([]);
  });
});

test.each([
  { count: 21, change: { unique: true } },
  { count: 22, change: { indexed: true } },
])('a walk that failed for good begins anew with $change; one that is under way does not', async ({ count, change }) => {
  const { kind } = await kindOf(count);
  const operationOf = async () => (await index(kind, change)).headers.get('operation-id');
  const first = await operationOf();
  const { id } = await fieldOf(kind);
  expect(await operationOf()).toBeNull();
  await takeIndexStep(transact(), own(), id, 5);
  await jobRows.change(app, first!, { state: 'failed', finished_at: rightNow(), lane: null });
  const again = await operationOf();
  expect(await jobRows.one(app, again!, ['name', 'state', 'subject_id'])).toMatchObject({
    name: 'crm.index-field',
    subject_id: id,
  });
  expect(await operationOf()).toBeNull();
  await stepsOfRun(id);
  expect([(await fieldOf(kind)).indexState, await indexed(id)]).toEqual(['ready', numbers(count)]);
});
