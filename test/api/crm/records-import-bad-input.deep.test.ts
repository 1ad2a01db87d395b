import { beforeAll, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { useApp } from '../../support/app.ts';
import { objectType } from '../../support/factories/object-type.ts';
import { type Asked, kind, lines, recordFiles, types, vehicles } from '../../support/record-files.ts';
import { storedCrmImports } from '../../support/stored/crm.ts';

const app = useApp({ workers: true, env: { IMPORT_MAX_BYTES: '3000000' } });
const { upload, imported, errorsOf } = recordFiles(app);

beforeAll(() => vehicles(app, app.tenant));

const header = types.map((type) => `a_${type}`);
const wrong: [string, string, string][] = [
  ['a_text', 'x'.repeat(1_001), 'string.max'],
  ['a_number', '1,5', 'number.base'],
  ['a_number', '0x10', 'number.base'],
  ['a_number', '1e400', 'number.base'],
  ['a_number', '12345678901234567890', 'number.unsafe'],
  ['a_integer', '1.5', 'number.integer'],
  ['a_integer', '9007199254740993', 'number.unsafe'],
  ['a_boolean', 'yes', 'boolean.base'],
  ['a_date', '2026-02-30', 'date.format'],
  ['a_date', '30.11.2026', 'date.format'],
  ['a_datetime', '2026-11-25T10:00:00', 'date.format'],
  ['a_select', 'purple', 'any.only'],
  ['a_multi_select', 'red;purple', 'any.only'],
  ['a_email', 'nobody', 'string.email'],
  ['a_phone', '12', 'phone.possible'],
  ['a_url', 'javascript:alert(1)', 'string.uri'],
  ['a_currency', '12.50 EUR', 'object.base'],
  ['a_currency', '01 EUR', 'string.pattern.base'],
  ['a_currency', '9223372036854775808 EUR', 'string.pattern.base'],
  ['a_currency', '1 XXX', 'any.only'],
  ['a_user', 'stranger@example.com', 'any.only'],
  ['a_user', 'somebody', 'string.guid'],
  ['a_json', '{', 'json'],
  ['a_json', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, 'object.depth'],
  ['a_json', JSON.stringify('x'.repeat(66_000)), 'fields.size'],
  ['a_long_text', 'x'.repeat(900_000), 'string.max'],
];
test('a wrong value of every type is told by line, column and code, never by what stood there', async () => {
  const rows = wrong.map(([column, cell]) =>
    header.map((name) => (name === column ? `"${cell.replaceAll('"', '""')}"` : '')).join(','),
  );
  const result = await imported(lines(header.join(','), ...rows));
  expect(result).toMatchObject({ created: 0, failed: wrong.length, status: 'succeeded' });
  const errors = await errorsOf(result.id);
  expect(errors.map(({ line, code }) => [line, code])).toEqual(wrong.map(([, , code], index) => [index + 2, code]));
  for (const { message } of errors) expect(message).not.toMatch(/purple|nobody|stranger|9007199254740993/);
  const report = await app.call('crm.imports.errors.export', { params: { crmImportID: result.id } });
  expect(parse(report.text, { columns: true })).toEqual(errors.map((error) => ({ ...error, line: String(error.line) })));
});

test.each([
  ['a relation without what names its end', 'plate,drivers\nX,a\n', { code: 'header.unknown', column: 'drivers' }],
  ['a field of the other end that is not unique', 'plate,home.name\nX,a\n', { code: 'header.unknown' }],
  ['a column twice', 'plate,Plate\nX,Y\n', { code: 'header.duplicate', column: 'plate' }],
  ['an external id without its source', 'plate,drivers.external_id\nX,a\n', { code: 'header.source' }],
  ['nothing but an id', 'id,created_at\nX,Y\n', { code: 'header.nothing' }],
  ['a key that is no column', 'name\nX\n', { code: 'header.key', column: 'plate' }],
  ['a custom field __proto__', 'plate,custom_fields.__proto__\nX,1\n', { code: 'header.unknown' }],
  ['a huge cell', `plate,name\nH-1,"${'x'.repeat(1_100_000)}"\n`, { code: 'csv', line: 2 }],
])('%s fails the file', async (_what, file, failure) => {
  const isKeyless = failure.code === 'header.nothing';
  const result = await imported(file, isKeyless ? {} : { key: 'plate' });
  expect(result).toMatchObject({ status: 'failed', created: 0, failure });
});

test('rows with too few cells, without a key or without what is required are left out', async () => {
  await objectType(app, app.tenant.organizationId, {
    kind: 'strict',
    fields: [{ name: 'must', type: 'text', isRequired: true }],
  });
  const strict = await imported(lines('name,must', 'a,b', 'a', 'a,'), {}, app.tenant, 'strict');
  expect(strict).toMatchObject({ created: 1, failed: 2 });
  expect((await errorsOf(strict.id)).map(({ line, column, code }) => [line, column, code])).toEqual([
    [3, '', 'row.cells'],
    [4, 'must', 'any.required'],
  ]);
  const keyless = await imported(lines('plate,name', ',a'), { key: 'plate' });
  expect((await errorsOf(keyless.id))[0]).toMatchObject({ column: 'plate', code: 'any.required' });
});

test.each([
  ['an unknown kind', 'name\na\n', {}, 'nothing_like_it', 422],
  ['a built-in kind', 'name\na\n', {}, 'contact', 422],
  ['a key that is not unique', 'name\na\n', { key: 'name' }, kind, 422],
  ['a mode that is none', 'name\na\n', { mode: 'replace' }, kind, 422],
  ['columns that are no object', 'name\na\n', { columns: '[]' }, kind, 422],
])('%s is refused at once, and nothing stays', async (_what, body, query, objectKind, status) => {
  expect((await upload(body, query as Asked, app.tenant, objectKind)).status).toBe(status);
  expect(await storedCrmImports.count(app, { state: 'uploading' })).toBe(0);
});
