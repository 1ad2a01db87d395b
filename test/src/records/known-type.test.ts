import { expect, test } from '@jest/globals';
import { ownRows } from '../../../src/platform/database/own.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { addField } from '../../../src/records/types/change-fields.ts';
import { typeLane } from '../../../src/records/types/jobs.ts';
import { knownType } from '../../../src/records/types/known-type.ts';
import { useApp } from '../../support/app.ts';
import { objectType } from '../../support/factories/object-type.ts';

const app = useApp();

async function open(kind: string) {
  const { organizationId } = app.tenant;
  await objectType(app, organizationId, { kind });
  const own = ownRows(app.web.deps.database, organizationId);
  const names = async () => (await knownType(own, kind))!.fields.map(({ name }) => name);
  const relations = async () => (await knownType(own, kind))!.relations.map(({ name }) => name);
  return { own, names, relations, before: await names(), params: { objectKind: kind } };
}
const text = (name: string) => ({ name, label: name, type: 'text' as const });

test('the next read sees each change of the fields', async () => {
  const { names, before, params } = await open('changed');
  await app.call('crm.object-fields.create', { params, body: text('one') });
  expect(await names()).toEqual([...before, 'one']);
  await app.call('crm.object-fields.delete', { params: { ...params, fieldName: 'one' } });
  expect(await names()).toEqual(before);
});

test('a relation of another kind is there without a change of this one', async () => {
  const { relations } = await open('found');
  await objectType(app, app.tenant.organizationId, { kind: 'finder' });
  expect(await relations()).toEqual([]);
  const body = { name: 'finds', inverse_name: 'found_by', to_kind: 'found', cardinality: 'many_to_many' };
  const { status } = await app.call('crm.object-relations.create', { params: { objectKind: 'finder' }, body });
  expect([status, await relations()]).toEqual([201, ['found_by']]);
});

test('what was rolled back is not kept, although the next change has its version', async () => {
  const { own, names, before, params } = await open('undone');
  const transact = transactFor(app.web.deps.ledger.transact, own.organizationId);
  const undone = transact({ locks: [typeLane(own.organizationId, 'undone')] }, async ({ own: tx }) => {
    await addField(tx, 'undone', { ...text('never'), type: 'text' });
    throw new Error('Undone');
  });
  await expect(undone).rejects.toThrow('Undone');
  expect(await names()).toEqual(before);
  await app.call('crm.object-fields.create', { params, body: text('other') });
  expect(await names()).toEqual([...before, 'other']);
});

test('a kind that is made anew has its own fields', async () => {
  const { names, params } = await open('again');
  await app.call('crm.object-types.delete', { params });
  const made = await app.call('crm.object-types.create', {
    body: { kind: 'again', label: 'Again', plural_label: 'Again', fields: [text('single')] },
  });
  expect([made.status, await names()]).toEqual([201, ['single']]);
});
