import { beforeAll, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { type Body, useApp } from '../../support/app.ts';

const app = useApp({});
const params = { objectKind: 'company' };
let made: Body[];

const create = async (body: object): Promise<Body> => (await app.call('crm.records.create', { params, body })).body;
const exported = (query: Record<string, string | boolean> = {}, key?: string) =>
  app.call('crm.records.export', { params, query, ...(key && { key }) });
const rowsOf = (text: string): Body[] => parse(text, { columns: true });

beforeAll(async () => {
  made = [
    await create({ fields: { name: 'Plain', employees: -0, annual_revenue: { amount_minor: '125000', currency_code: 'EUR' } } }),
    await create({ fields: { name: '=HYPERLINK("http://x")', description: 'Lines\r\n"and" ünïcode, commas' } }),
    await create({ fields: { name: 'Custom' }, custom_fields: { tier: 'gold' }, metadata: { a: [1] } }),
    await create({ fields: { name: 'Binned' } }),
  ];
  await app.call('crm.records.delete', { params: { ...params, recordID: made[3]!.id } });
});

test('has all records but those in the bin, oldest first, a column for each field of the type', async () => {
  const { status, headers, text } = await exported();
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="company-\d{4}-\d\d-\d\d\.csv"$/);
  const rows = rowsOf(text);
  expect(rows.map(({ id }) => id)).toEqual(made.slice(0, 3).map(({ id }) => id));
  expect(rows[0]).toMatchObject({ name: 'Plain', employees: '0', annual_revenue: '125000 EUR', created_at: made[0]!.created_at });
  expect(rows[1]).toMatchObject({ description: 'Lines\r\n"and" ünïcode, commas' });
  expect(rows[2]).toMatchObject({ custom_fields: '{"tier":"gold"}', metadata: '{"a":[1]}', revision: '1' });
});

test('what a spreadsheet would take for a formula has a quote before it, unless raw', async () => {
  expect(rowsOf((await exported()).text)[1]).toMatchObject({ name: `'=HYPERLINK("http://x")` });
  expect(rowsOf((await exported({ raw: true })).text)[1]).toMatchObject({ name: '=HYPERLINK("http://x")' });
});

test('takes the filters, the search and the sort of the list', async () => {
  const names = async (query: Record<string, string>) => rowsOf((await exported(query)).text).map(({ name }) => name);
  expect(await names({ filters: JSON.stringify([{ field: 'name', value: 'Plain' }]) })).toEqual(['Plain']);
  expect(await names({ search: 'custom' })).toEqual(['Custom']);
  expect((await names({ sort: '-name' }))[0]).toBe('Plain');
  expect((await exported({ sort: 'description' })).status).toBe(422);
});

test.each([
  ['nothing_like_it', /No type of records/],
  ['deal', /\/v1\/crm\/deals\/export/],
  ['contact', /\/v1\/contacts\/export/],
  ['task', /no file/],
])('%s is a 422', async (objectKind, message) => {
  const { status, text } = await app.call('crm.records.export', { params: { objectKind } });
  expect(status).toBe(422);
  expect(text).toMatch(message);
});

test("another organization's export has none of them", async () => {
  const { key } = await app.organization();
  expect(rowsOf((await exported({}, key)).text)).toEqual([]);
});
