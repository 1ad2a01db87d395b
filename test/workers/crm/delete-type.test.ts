import { expect, test } from '@jest/globals';
import { ownRows } from '../../../src/platform/database/own.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { takeDeleteStep, takeDropStep } from '../../../src/records/types/end-walk.ts';
import { useApp } from '../../support/app.ts';
import { records } from '../../support/factories/records.ts';
import { fieldRows, recordRows, typeRows } from '../../support/work/crm.ts';
import { rightNow } from '../../support/work/rows.ts';

const app = useApp({});
const transact = () => transactFor(app.web.deps.ledger.transact, app.tenant.organizationId);

async function kindOf(kind: string, count: number) {
  const fields = [
    { name: 'name', type: 'text' },
    { name: 'size', type: 'number', indexed: true },
  ];
  await app.call('crm.object-types.create', { body: { kind, label: kind, fields } });
  const made = await records(
    transact(),
    kind,
    Array.from({ length: count }, (_, size) => ({ name: 'n', size })),
  );
  await recordRows.change(app, made[0]!.id, { deleted_at: rightNow() });
  return typeRows.one(app, { kind }, ['id']);
}
const count = async (table: string) => (await app.one(`select count(*)::int as n from ${table}`)).n;

test('the records of a deleted kind go in steps, those in the bin too, and then the kind; others stay', async () => {
  const { id } = await kindOf('ending', 12);
  const { id: other } = await kindOf('staying', 3);
  const operation = await app.call('crm.object-types.delete', { params: { objectKind: 'ending' } });
  expect(operation.headers.get('operation-id')).not.toBeNull();
  expect(await takeDeleteStep(transact(), id, 5)).toBe(false);
  expect(await count('records')).toBeLessThan(15);
  while (!(await takeDeleteStep(transact(), id, 5)));
  expect(await takeDeleteStep(transact(), id, 5)).toBe(true);
  expect([await count('records'), await count('record_values')]).toEqual([3, 3]);
  expect(await typeRows.all(app, { is_standard: false }, ['id'])).toEqual([{ id: other }]);
});

test('a dropped field leaves its name free when its last value is gone, and a second run changes nothing', async () => {
  await kindOf('dropping', 7);
  const { id: typeId } = await typeRows.one(app, { kind: 'dropping' });
  const { id } = await fieldRows.one(app, { type_id: typeId, name: 'size' });
  const params = { objectKind: 'dropping', fieldName: 'size' };
  await app.call('crm.object-fields.delete', { params });
  const again = { name: 'size', type: 'text' };
  const own = ownRows(app.web.deps.database, app.tenant.organizationId);
  expect((await app.call('crm.object-fields.create', { params: { objectKind: 'dropping' }, body: again })).status).toBe(409);
  expect(await takeDropStep(transact(), own, id, 4)).toMatchObject({ isLast: false });
  expect(await takeDropStep(transact(), own, id, 4)).toMatchObject({ isLast: true });
  expect(await takeDropStep(transact(), own, id, 4)).toMatchObject({ isLast: true });
  for (const { fields } of await recordRows.all(app, { type_id: typeId }, ['fields'])) expect(fields).toEqual({ name: 'n' });
  expect((await app.call('crm.object-fields.create', { params: { objectKind: 'dropping' }, body: again })).status).toBe(201);
});
