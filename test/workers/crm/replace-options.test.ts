import { expect, test } from '@jest/globals';
import { knowJobs } from '../../../src/jobs.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { loadType } from '../../../src/records/types/object-type.ts';
import { endReplacement, takeReplaceStep } from '../../../src/records/types/replace-options.ts';
import { type Body, useApp } from '../../support/app.ts';
import { options, stateOf } from '../../support/factories/options.ts';
import { records } from '../../support/factories/records.ts';
import { historyRows, recordRows, recordValueRows } from '../../support/work/crm.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { rightNow } from '../../support/work/rows.ts';

const app = useApp({});
const transact = () => transactFor(app.web.deps.ledger.transact, app.tenant.organizationId);
const own = () => ownRows(app.web.deps.database, app.tenant.organizationId);
const actor = `user:${'0'.repeat(8)}-0000-0000-0000-000000000000`;
const change = (objectKind: string, body: object) =>
  app.call('crm.object-fields.update', { params: { objectKind, fieldName: 'state' }, body });
const fieldId = async (kind: string) => (await loadType(own(), kind))!.fields.find(({ name }) => name === 'state')!.id;
const step = async (kind: string, size = 60) => takeReplaceStep(transact(), own(), { fieldId: await fieldId(kind), actor }, size);
const end = async (kind: string, replacedTo: string | null) => {
  const id = await fieldId(kind);
  await transact()({}, ({ own: tx }) => endReplacement(tx, id, replacedTo));
};

let made = 0;
/** `count` records: two of three sold, the others open. */
async function soldOut(count: number): Promise<{ kind: string; ids: string[]; sold: string[] }> {
  made += 1;
  const kind = `kind${made}`;
  const state = { name: 'state', type: 'select', indexed: true, options: options('open', 'sold', 'stock') };
  const fields = [{ name: 'name', type: 'text' }, state];
  await app.call('crm.object-types.create', { body: { kind, label: 'Kind', fields } });
  const values = Array.from({ length: count }, (_, n) => ({ state: n % 3 === 0 ? 'open' : 'sold' }));
  const all = await records(transact(), kind, values);
  const sold = all.filter((one) => one.fields.state === 'sold').map(({ id }) => id);
  return { kind, ids: all.map(({ id }) => id), sold };
}

async function begun(kind: string): Promise<string> {
  const reply = await change(kind, { options: options('open', 'stock'), replace_with: { sold: 'stock' } });
  expect(reply.body.options).toEqual([...options('open', 'stock'), { value: 'sold', label: 'sold', replaced_by: 'stock' }]);
  const { name } = await jobRows.one(app, reply.headers.get('operation-id')!, ['name']);
  expect(name).toBe('crm.replace-options');
  return reply.headers.get('operation-id')!;
}

const found = async (objectKind: string, state: string): Promise<number> => {
  const filters = JSON.stringify([{ field: 'state', operator: 'eq', value: state }]);
  const { body } = await app.call('crm.records.list', {
    params: { objectKind },
    query: { filters, include_total: true, limit: 1 },
  });
  return body.meta.total_count ?? body.meta.total;
};
const changesOf = (ids: string[]) =>
  historyRows.all(app, { object_id: { $in: ids } }, ['object_id', 'revision', 'actor', 'changes', 'event_id']);

/** A step that dies before its commit. */
async function killedStep(kind: string) {
  const dying = transact();
  const killed: typeof dying = (look, work) =>
    dying(look, async (tx, seen) => {
      await work(tx, seen);
      throw new Error('killed');
    });
  const id = await fieldId(kind);
  await expect(takeReplaceStep(killed, own(), { fieldId: id, actor }, 60)).rejects.toThrow('killed');
}

test('killed in every step and begun again: each record changes once, and filters are right all the while', async () => {
  const { kind, ids, sold } = await soldOut(220);
  await recordRows.change(app, sold[3]!, { deleted_at: rightNow() });
  await recordValueRows.remove(app, { record_id: sold[3] });
  await begun(kind);
  let done = 0;
  for (;;) {
    await killedStep(kind);
    const live = (count: number) => count - (count >= 4 ? 1 : 0);
    expect(await found(kind, 'stock')).toBe(live(done));
    expect(await found(kind, 'sold')).toBe(sold.length - 1 - live(done));
    const taken = (await step(kind))!;
    done += taken.done;
    if (!taken.isLast) continue;
    await end(kind, taken.replacedTo);
    break;
  }
  expect(done).toBe(sold.length);
  expect(await found(kind, 'stock')).toBe(sold.length - 1);
  expect((await stateOf(app, kind)).options).toEqual(options('open', 'stock'));
  const history = await changesOf(ids);
  expect(history.map(({ object_id }) => object_id).sort()).toEqual([...sold].sort());
  for (const row of history) expect(row).toMatchObject({ revision: 2, actor, changes: { state: { from: 'sold', to: 'stock' } } });
  expect(history.filter(({ event_id }) => event_id === null).map(({ object_id }) => object_id)).toEqual([sold[3]]);
  expect(await step(kind)).toBeUndefined();
});

test('nobody is given an option that leaves, and the rest of a record that has it can be written', async () => {
  const { kind, sold } = await soldOut(160);
  await begun(kind);
  const write = (fields: object): Promise<{ status: number; body: Body }> =>
    app.call('crm.records.update', { params: { objectKind: kind, recordID: sold[0]! }, body: { fields } });
  expect((await write({ state: 'sold' })).status).toBe(422);
  expect((await write({ name: 'other' })).body.fields).toEqual({ name: 'other', state: 'sold' });
});

test('another option that leaves meanwhile begins the walk anew, and a step of before does not end it', async () => {
  const { kind, ids } = await soldOut(200);
  await begun(kind);
  let taken = (await step(kind, 1_000))!;
  expect(taken).toMatchObject({ isLast: false, done: 100 });
  taken = (await step(kind, 1_000))!;
  expect(taken.isLast).toBe(true);
  const refused = await change(kind, { options: options('open', 'new') });
  expect(refused.status).toBe(409);
  const body = { options: options('open', 'new'), replace_with: { stock: 'new' } };
  expect((await change(kind, body)).body.options.slice(2)).toEqual([
    { value: 'sold', label: 'sold', replaced_by: 'new' },
    { value: 'stock', label: 'stock', replaced_by: 'new' },
  ]);
  await end(kind, taken.replacedTo);
  expect((await stateOf(app, kind)).options).toHaveLength(4);
  do taken = (await step(kind, 1_000))!;
  while (!taken.isLast);
  await end(kind, taken.replacedTo);
  expect((await stateOf(app, kind)).options).toEqual(options('open', 'new'));
  expect([await found(kind, 'new'), await found(kind, 'open')]).toEqual([133, 67]);
  expect(new Set((await changesOf(ids)).map(({ revision }) => revision))).toEqual(new Set([2, 3]));
});

test('an option that is given again stays, and what has it keeps it', async () => {
  const { kind } = await soldOut(160);
  await begun(kind);
  expect((await step(kind, 30))!.done).toBe(20);
  const back = await change(kind, { options: options('open', 'sold', 'stock') });
  expect(back.body.options).toEqual(options('open', 'sold', 'stock'));
  expect(await step(kind)).toBeUndefined();
  expect([await found(kind, 'sold'), await found(kind, 'stock')]).toEqual([86, 20]);
});

test('options that leave while others are replaced are another row of the same field, which breaks no rule', async () => {
  knowJobs();
  const { kind } = await soldOut(330);
  await begun(kind);
  const more = await change(kind, { options: options('stock'), replace_with: { open: 'stock', sold: 'stock' } });
  expect(more.headers.get('operation-id')).not.toBeNull();
  const id = await fieldId(kind);
  const live = await jobRows.all(app, { subject_id: id, name: 'crm.replace-options', state: { $ne: 'done' } }, ['id']);
  expect(live).toHaveLength(2);
  expect((await checkJobs(app.web.deps.database)).filter((one) => one.id === id)).toEqual([]);
});

test('a step changes at most as many as it is told, whatever its window holds, and the walk ends with all of them', async () => {
  const { kind, sold } = await soldOut(180);
  await begun(kind);
  const id = await fieldId(kind);
  const done: number[] = [];
  for (const most of [20, 7, 13, 100, 100, 100]) {
    const taken = await takeReplaceStep(transact(), own(), { fieldId: id, actor }, 1_000, most);
    done.push(taken!.done);
    if (taken!.isLast) {
      await end(kind, taken!.replacedTo);
      break;
    }
  }
  expect(done.slice(0, 3)).toEqual([20, 7, 13]);
  expect(await found(kind, 'stock')).toBe(sold.length);
  expect((await stateOf(app, kind)).options).toEqual(options('open', 'stock'));
});
