import { expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { storedObjectTypes } from '../../support/stored/crm.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp({});
const add = (objectKind: string, body: object) => app.call('crm.object-relations.create', { params: { objectKind }, body });
const remove = (objectKind: string, relationName: string) =>
  app.call('crm.object-relations.delete', { params: { objectKind, relationName } });
const relationsOf = async (objectKind: string): Promise<Body[]> =>
  (await app.call('crm.object-types.get', { params: { objectKind } })).body.relations;
const make = (kind: string) => app.call('crm.object-types.create', { body: { kind, label: kind } });
const relation = { name: 'members', inverse_name: 'team', to_kind: 'contact', cardinality: 'one_to_many' };

test('both ends see it by their names, and the defining end removes it', async () => {
  await make('team1');
  await make('place1');
  const added = await add('team1', { ...relation, to_kind: 'place1', name: 'places' });
  expect(added.status).toBe(201);
  expect(added.body.relations).toEqual([
    { name: 'places', inverse_name: 'team', kind: 'place1', cardinality: 'one_to_many', on_delete: 'unlink', is_inverse: false },
  ]);
  expect(await relationsOf('place1')).toEqual([
    { name: 'team', inverse_name: 'places', kind: 'team1', cardinality: 'many_to_one', on_delete: 'unlink', is_inverse: true },
  ]);
  expect((await remove('place1', 'team')).status).toBe(409);
  expect((await remove('team1', 'places')).status).toBe(204);
  expect((await remove('team1', 'places')).status).toBe(404);
  expect(await relationsOf('place1')).toEqual([]);
});

test('to a built-in kind, which shows it beside that of company', async () => {
  await make('team2');
  expect((await add('team2', relation)).status).toBe(201);
  expect((await relationsOf('contact')).map(({ name, kind }) => [name, kind])).toEqual([
    ['company', 'company'],
    ['team', 'team2'],
  ]);
  expect((await add('team2', relation)).status).toBe(409);
  await make('team3');
  expect((await add('team3', relation)).status).toBe(409);
  await app.call('crm.object-types.delete', { params: { objectKind: 'team2' } });
  expect((await relationsOf('contact')).map(({ name }) => name)).toEqual(['company']);
});

test('to itself it has two names, and both are of one end', async () => {
  await make('node1');
  const own = { name: 'parent', inverse_name: 'children', to_kind: 'node1', cardinality: 'many_to_one' };
  expect((await add('node1', own)).status).toBe(201);
  expect((await relationsOf('node1')).map(({ name, cardinality }) => [name, cardinality])).toEqual([
    ['parent', 'many_to_one'],
    ['children', 'one_to_many'],
  ]);
  expect((await add('node1', { ...own, name: 'children', inverse_name: 'x' })).status).toBe(409);
  expect((await remove('node1', 'children')).status).toBe(204);
});

test.each([
  ['to itself one_to_one', { to_kind: 'bad1', cardinality: 'one_to_one' }, 'cardinality'],
  ['to itself by one name', { to_kind: 'bad1', name: 'same', inverse_name: 'same' }, 'cardinality'],
  ['to an unknown kind', { to_kind: 'nothing' }, 'to_kind'],
  ['of an unknown cardinality', { cardinality: 'some' }, 'cardinality'],
  ['named __proto__', { name: '__proto__' }, 'name'],
  ['named in upper case', { inverse_name: 'Team' }, 'inverse_name'],
  ['with an unknown rule', { on_delete: 'cascade' }, 'on_delete'],
])('%s: 422 at its place', async (_, more, place) => {
  await make('bad1');
  const refused = await add('bad1', { ...relation, ...more });
  expect([refused.status, refused.body.error.details[0].field]).toEqual([422, place]);
  expect(await relationsOf('bad1')).toEqual([]);
});

test('a kind has twenty at most, and company can have more than its own', async () => {
  await make('much1');
  for (let n = 0; n < 20; n += 1) {
    const { status } = await add('much1', { ...relation, name: `r${n}`, inverse_name: `much1_${n}` });
    expect(status).toBe(201);
  }
  const refused = await add('much1', { ...relation, name: 'r20', inverse_name: 'much1_20' });
  expect([refused.status, refused.body.error.code]).toEqual([422, 'limit_reached']);
  expect((await add('company', { ...relation, name: 'team_members', inverse_name: 'employer' })).status).toBe(201);
});

test('the name of a relation to a type that is being deleted is taken for as long, and says so', async () => {
  await make('holder1');
  await make('leaving1');
  expect((await add('holder1', { ...relation, to_kind: 'leaving1' })).status).toBe(201);
  // No worker runs here: the operation that deletes it has not begun.
  await storedObjectTypes.change(app, { kind: 'leaving1' }, { deleted_at: now() });
  expect(await relationsOf('holder1')).toEqual([]);
  const refused = await add('holder1', relation);
  expect([refused.status, refused.body.error.code, refused.headers.get('retry-after')]).toEqual([409, 'conflict', '5']);
  expect((await add('holder1', { ...relation, name: 'others', inverse_name: 'holders' })).status).toBe(201);
});
