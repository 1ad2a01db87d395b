import { expect, test } from '@jest/globals';
import { ownRows } from '../../../src/platform/database/own.ts';
import type { AppError } from '../../../src/platform/errors.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { cursorOf } from '../../../src/platform/listing/cursor.ts';
import { beginOf, readListing } from '../../../src/platform/listing/listing.ts';
import { companyOf } from '../../../src/records/types/company.ts';
import { assertAnswerable, recordFieldsOf } from '../../../src/records/types/listing.ts';
import { useApp } from '../../support/app.ts';
import { records } from '../../support/factories/records.ts';

const app = useApp({});
const company = companyOf('01932d5f-3a0e-7cc4-8f4e-0242ac120001');
const [first, ...others] = company.fields;
const select = { ...first!, id: first!.id, name: 'colour', type: 'select' as const, options: [{ value: 'red', label: 'Red' }] };
const type = {
  ...company,
  fields: [first!, ...others, select, { ...select, name: 'flag', type: 'boolean' as const, indexState: null }],
};
const fields = recordFieldsOf(type);
const read = (filter: object) => readListing('records', fields, { filters: JSON.stringify([filter]) });

const errorOf = (work: () => unknown): AppError => {
  try {
    work();
  } catch (error) {
    return error as AppError;
  }
  throw new Error('Nothing was refused');
};

test.each([
  [{ field: 'employees', value: '5' }, 'filters[0].value'],
  [{ field: 'employees', operator: 'contains', value: 5 }, 'filters[0].operator'],
  [{ field: 'employees', operator: 'between', value: [1] }, 'filters[0].value'],
  [{ field: 'employees', operator: 'in', value: [] }, 'filters[0].value'],
  [{ field: 'name', operator: 'gt', value: 'a' }, 'filters[0].operator'],
  [{ field: 'name', value: 'a\u0000' }, 'filters[0].value'],
  [{ field: 'name', value: 'a\ud800' }, 'filters[0].value'],
  [{ field: 'owner', value: 'me' }, 'filters[0].value'],
  [{ field: 'colour', value: 'blue' }, 'filters[0].value'],
  [{ field: 'flag', value: 'true' }, 'filters[0].value'],
  [{ field: 'flag', operator: 'in', value: [true] }, 'filters[0].operator'],
  [{ field: 'annual_revenue', value: 5 }, 'filters[0].value'],
  [{ field: 'annual_revenue', value: '05' }, 'filters[0].value'],
  [{ field: 'annual_revenue.amount_minor', value: '5' }, 'filters[0].field'],
  [{ field: `name' or true --`, value: 'a' }, 'filters[0].field'],
  [{ field: '__proto__', value: 'a' }, 'filters[0].field'],
  [{ field: 'constructor', value: 'a' }, 'filters[0].field'],
  [{ field: 'fields.name', value: 'a' }, 'filters[0].field'],
])('%j is a 422 at %s', (filter, place) => {
  const error = errorOf(() => read(filter));
  expect([error.status, error.details?.[0]?.field]).toEqual([422, place]);
});

test('twenty-one filters are a 422', () => {
  const filters = JSON.stringify(Array.from({ length: 21 }, () => ({ field: 'name', value: 'a' })));
  expect(errorOf(() => readListing('records', fields, { filters })).status).toBe(422);
});

test('a phone and an email are compared as they are stored', () => {
  expect(read({ field: 'phone', value: '1 650 555-1234' }).conditions[0]!.values).toEqual(['+16505551234']);
  expect(read({ field: 'email', operator: 'in', value: ['ADA@x.com'] }).conditions[0]!.values).toEqual(['ada@x.com']);
});

test('a sort by an unindexed field says to index it, and one by a declared field stands alone', () => {
  const refused = (sort: string) => errorOf(() => readListing('records', fields, { sort }));
  expect([refused('website').status, refused('website').message]).toEqual([
    422,
    expect.stringContaining('website must be indexed before'),
  ]);
  expect(refused('employees,name').message).toContain('sort by employees must have no other key');
  expect(refused('flag').status).toBe(422);
  expect(refused('colours').status).toBe(422);
});

test('a cursor of another sort, and one with what is no value, are a 400', () => {
  const bySize = readListing('records', fields, { sort: 'employees' });
  const byName = readListing('records', fields, { sort: 'name' });
  const position = ['=5', '01932d5f-3a0e-7cc4-8f4e-0242ac120002'];
  expect(beginOf(bySize, cursorOf(bySize.binding, position))).toEqual(position);
  expect(errorOf(() => beginOf(byName, cursorOf(bySize.binding, position))).status).toBe(400);
  for (const value of ['=five', '=', '5', '=NaN', "=1'; drop table records"])
    expect(errorOf(() => beginOf(bySize, cursorOf(bySize.binding, [value, position[1]!]))).status).toBe(400);
});

test('what would compare very many records is a 422 that says what to index', async () => {
  const { organizationId } = app.tenant;
  const own = ownRows(app.web.deps.database, organizationId);
  const ours = companyOf(organizationId);
  const transact = transactFor(app.web.deps.ledger.transact, organizationId);
  await records(
    transact,
    'company',
    ['a', 'b', 'c', 'd'].map((name) => ({ name })),
  );
  const asked = (filter: object, bound: number) =>
    assertAnswerable(own, ours, readListing('r', recordFieldsOf(ours), { filters: JSON.stringify([filter]) }), bound);
  const website = { field: 'website', operator: 'contains', value: 'x' };
  await expect(asked(website, 4)).resolves.toBeUndefined();
  const error: AppError = await asked(website, 3).catch((fault) => fault);
  expect([error.status, error.details?.[0]?.code]).toEqual([422, 'filter.not_indexed']);
  expect(error.message).toContain('PATCH /v1/crm/object-types/company/fields/website {"indexed": true}');
  const revenue = { field: 'annual_revenue', operator: 'gt', value: '5' };
  expect((await asked(revenue, 3).catch((fault) => fault)).message).toContain('fields/annual_revenue');
  const address = { field: 'address', operator: 'is_empty' };
  expect((await asked(address, 3).catch((fault) => fault)).message).toContain('a long_text cannot be filtered there');
  const inGroup = readListing('r', recordFieldsOf(ours), { any: [[{ field: 'name', value: 'a' }, website]], location: 'body' });
  expect(await assertAnswerable(own, ours, inGroup, 3).catch((fault) => fault)).toMatchObject({
    status: 422,
    details: [{ field: 'any', location: 'body', code: 'filter.not_indexed' }],
  });
  for (const fine of [
    { field: 'website', value: 'https://x.com' },
    { field: 'employees', operator: 'gt', value: 5 },
    { field: 'name', operator: 'contains', value: 'x' },
    { field: 'custom_fields.a', operator: 'gt', value: 5 },
  ])
    await expect(asked(fine, 3)).resolves.toBeUndefined();
});
