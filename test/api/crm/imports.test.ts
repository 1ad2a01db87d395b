import { expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';

const app = useApp({});
const company = { objectKind: 'company' };

test('imports are listed newest first, with who asked and what they are of', async () => {
  const records = (await app.call('crm.records.import', { params: company, body: 'name\nA\n' })).body.data;
  const deals = (await app.call('crm.deals.import', { body: 'title\nA\n' })).body.data;
  expect(records).toMatchObject({ kind: 'company', status: 'queued', created_by: `key:${app.tenant.keyId}` });
  const { data } = (await app.call('crm.imports.list')).body;
  expect(data.map(({ id, kind }: { id: string; kind: string }) => [id, kind])).toEqual([
    [deals.id, 'deal'],
    [records.id, 'company'],
  ]);
});

test('the errors of an import that is none are a 404, an import without errors has an empty report', async () => {
  const { id } = (await app.call('crm.deals.import', { body: 'title\nA\n' })).body.data;
  expect((await app.call('crm.imports.errors', { params: { crmImportID: id } })).body.data).toEqual([]);
  const report = await app.call('crm.imports.errors.export', { params: { crmImportID: id } });
  expect([report.status, report.text]).toEqual([200, 'line,column,code,message\r\n']);
  for (const operationId of ['crm.imports.get', 'crm.imports.errors', 'crm.imports.errors.export'])
    expect((await app.call(operationId, { params: { crmImportID: uuidv7() } })).status).toBe(404);
});

test('an organization has few imports that wait or run', async () => {
  const { key } = await app.organization();
  const statuses = [];
  for (let n = 0; n < 11; n += 1) statuses.push((await app.call('crm.deals.import', { key, body: 'title\nA\n' })).status);
  expect(statuses).toEqual([...Array(10).fill(201), 422]);
});
