import { expect, test } from '@jest/globals';
import { retryJob } from '../../../src/platform/ledger/retry.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { storedActs } from '../../support/stored/accounts.ts';
import { allErased, storedContacts, storedExportChunks, storedExports } from '../../support/stored/contacts.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });

const ask = ({ key }: Tenant, body?: object, headers = {}) => app.call('contacts.exports.create', { key, body, headers });
const get = ({ key }: Tenant, exportID: string) => app.call('contacts.exports.get', { key, params: { exportID } });
const file = ({ key }: Tenant, exportID: string) => app.call('contacts.exports.file', { key, params: { exportID } });
const remove = ({ key }: Tenant, exportID: string) => app.call('contacts.exports.delete', { key, params: { exportID } });
const ended = (tenant: Tenant, id: string): Promise<Body> =>
  waitFor('the export to end', async () => {
    const { data } = (await get(tenant, id)).body;
    return ['succeeded', 'failed'].includes(data.status) && data;
  });
const create = async ({ key }: Tenant, body: object): Promise<Body> =>
  (await app.call('contacts.create', { key, body })).body.data;
const people = (tenant: Tenant, count: number) =>
  storedContacts.addMany(app, count, (n) => ({
    organization_id: tenant.organizationId,
    name: `P${n}`,
    phone_number: '',
    custom_fields: { note: 'x'.repeat(900) },
  }));

test('a file as the stream gives it, with its operation, its event and its acts', async () => {
  const tenant = await app.organization();
  await people(tenant, 2_600);
  await create(tenant, { phone_number: '+16505551001', name: '=cmd|x', custom_fields: { tier: 'gold' } });
  await create(app.tenant, { phone_number: '+16505551002', name: 'Foreign' });
  const asked = await ask(tenant);
  expect([asked.status, asked.body.data.status]).toEqual([201, 'queued']);
  const { id } = asked.body.data;
  expect(asked.headers.get('location')).toBe(`/v1/contacts/exports/${id}`);
  const done = await ended(tenant, id);
  const { status, headers, text } = await file(tenant, id);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="contacts-\d{4}-\d\d-\d\d\.csv"$/);
  expect(text).toBe((await app.call('contacts.export', { key: tenant.key })).text);
  expect(text.split('\r\n')).toHaveLength(2_603);
  expect(done).toMatchObject({ status: 'succeeded', rows: 2_601, bytes: Buffer.byteLength(text), failure: null });
  // More than one piece of it: what follows is not of one alone.
  expect(await storedExportChunks.count(app, { export_id: id })).toBeGreaterThan(1);
  const params = { operationID: asked.headers.get('operation-id')! };
  expect((await app.call('operations.get', { key: tenant.key, params })).body).toMatchObject({
    name: 'contacts.export',
    status: 'succeeded',
    progress: { rows: 2_601 },
    subject: { type: 'contact_export', id },
  });
  const events = await app.events(tenant.organizationId);
  expect(events.filter(({ type }) => type === 'contacts.exported').map(({ data }) => data)).toEqual([
    { export_id: id, organization_id: tenant.organizationId, rows: 2_601 },
  ]);
  const of = { organization_id: tenant.organizationId };
  const all = await storedActs.all(app, of, { columns: ['action', 'subject'], orderBy: 'id' });
  const acts = all.filter(({ action }) => action.includes('exports'));
  expect(acts).toEqual([
    { action: 'contacts.exports.create', subject: `contact_export:${id}` },
    { action: 'contacts.exports.file', subject: `contact_export:${id}` },
  ]);
});

test('with raw=true the cells are as they are; with the same Idempotency-Key it is another request than without', async () => {
  const tenant = await app.organization();
  await create(tenant, { phone_number: '+6281234567890', name: '=cmd|x' });
  const raw = { key: tenant.key, query: { raw: true }, headers: { 'idempotency-key': 'one' } };
  const { status, body } = await app.call('contacts.exports.create', raw);
  expect(status).toBe(201);
  await ended(tenant, body.data.id);
  const { text } = await file(tenant, body.data.id);
  expect(text.split('\r\n')[1]).toContain(',+6281234567890,=cmd|x,');
  expect(text).toBe((await app.call('contacts.export', { key: tenant.key, query: { raw: true } })).text);
  const again = await app.call('contacts.exports.create', raw);
  expect([again.body.data.id, again.headers.get('idempotent-replayed')]).toEqual([body.data.id, 'true']);
  const other = await ask(tenant, undefined, { 'idempotency-key': 'one' });
  expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_mismatch']);
});

test('those of a search and filters, in the order asked for; waited for, it is there', async () => {
  const tenant = await app.organization();
  for (const [name, tier] of [
    ['Ada Byron', 'gold'],
    ['Áda Lovelace', 'gold'],
    ['Ada King', 'silver'],
    ['Grace', 'gold'],
  ])
    await create(tenant, { external_source: 'shop', external_id: name, name, custom_fields: { tier } });
  const filters = [{ field: 'custom_fields.tier', value: 'gold' }];
  const { body, status } = await ask(tenant, { search: 'ada', filters, sort: '-name' }, { prefer: 'wait=10' });
  expect([status, body.data.status, body.data.rows]).toEqual([201, 'succeeded', 2]);
  const [, ...lines] = (await file(tenant, body.data.id)).text.trimEnd().split('\r\n');
  expect(lines.map((line) => line.split(',')[2])).toEqual(['Áda Lovelace', 'Ada Byron']);
  // Who was searched for is nobody's business any more.
  expect(await storedExports.all(app, body.data.id, { columns: ['request', 'keys', 'position'] })).toEqual([
    { request: null, keys: null, position: null },
  ]);
});

test.each([
  [{ filters: '[]' }, 'filters'],
  [{ filters: [1] }, 'filters[0]'],
  [{ filters: [{ field: 'shoe', value: 1 }] }, 'filters[0].field'],
  [{ filters: Array(21).fill({ field: 'name', value: 'x' }) }, 'filters'],
  [{ sort: 'email' }, 'sort'],
  [{ search: 'x'.repeat(201) }, 'search'],
  [{ limit: 1 }, 'limit'],
])('%j is refused and makes nothing', async (body, field) => {
  const before = await app.counts();
  const reply = await ask(app.tenant, body);
  expect([reply.status, reply.body.error.code]).toEqual([422, 'invalid_request']);
  expect(reply.body.error.details[0]).toMatchObject({ field, location: 'body' });
  expect(await app.counts()).toEqual(before);
});

test('nobody else’s: another organization finds it nowhere', async () => {
  const tenant = await app.organization();
  const { id } = (await ask(tenant, {})).body.data;
  await ended(tenant, id);
  for (const foreign of [get, file, remove]) expect((await foreign(app.tenant, id)).status).toBe(404);
  expect((await file(tenant, id)).status).toBe(200);
  const { data, meta } = (await app.call('contacts.exports.list', { key: tenant.key })).body;
  expect([data.map((one: Body) => one.id), meta.has_more]).toEqual([[id], false]);
  expect((await app.call('contacts.exports.list')).body.data.map((one: Body) => one.id)).not.toContain(id);
});

test('one that failed says why, has no file, and a retry tries again', async () => {
  const tenant = await app.organization();
  await storedContacts.addMany(app, 501, (n) => ({ organization_id: tenant.organizationId, custom_fields: { [`key ${n}`]: 1 } }));
  const asked = await ask(tenant);
  const { id } = asked.body.data;
  expect(await ended(tenant, id)).toMatchObject({ status: 'failed', rows: 0, failure: { code: 'limit_reached' } });
  const { status, body } = await file(tenant, id);
  expect([status, body.error.code, body.error.message]).toEqual([409, 'conflict', 'The file is not there: the export is failed']);
  await storedContacts.remove(app, { organization_id: tenant.organizationId });
  await retryJob(app.web.deps.ledger.transact, asked.headers.get('operation-id')!);
  expect(await waitFor('it', async () => (await get(tenant, id)).body.data.status === 'succeeded')).toBe(true);
});

test('as many as are kept at most, until one is deleted', async () => {
  const tenant = await app.organization();
  const replies = [];
  for (let number = 0; number < 11; number += 1) replies.push(await ask(tenant));
  expect(replies.map(({ status }) => status)).toEqual([...Array(10).fill(201), 422]);
  expect(replies[10]!.body.error.code).toBe('limit_reached');
  const [first] = replies;
  const { id } = first!.body.data;
  await ended(tenant, id);
  expect((await remove(tenant, id)).status).toBe(204);
  for (const call of [get, file, remove]) expect((await call(tenant, id)).status).toBe(404);
  expect(await storedExportChunks.count(app, { export_id: id })).toBe(0);
  expect((await ask(tenant)).status).toBe(201);
});

test('a person who is forgotten is taken out of every file that stands ready; the others stay', async () => {
  const tenant = await app.organization();
  const kept = await create(tenant, { phone_number: '+16505553001', name: 'Kept, "K"\nline' });
  const deleted = await create(tenant, { phone_number: '+16505553002', name: 'Gone, "G"\r\nline' });
  await people(tenant, 1_500);
  const last = await create(tenant, { phone_number: '+16505553003', name: 'Last' });
  const { id } = (await ask(tenant)).body.data;
  const before = await ended(tenant, id);
  const whole = (await file(tenant, id)).text;
  expect(whole).toContain('16505553002');
  await app.call('contacts.delete', { key: tenant.key, params: { contactID: deleted.id } });
  await waitFor('the erasure', () => allErased(app));
  const { text } = await file(tenant, id);
  const own = whole.slice(whole.indexOf(deleted.id), whole.indexOf('\r\n', whole.indexOf(`${deleted.created_at}`)) + 2);
  expect(own).toMatch(/Gone.*\r\nline.*Z\r\n$/s);
  expect(text).toBe(whole.replace(own, ''));
  for (const { id: stays } of [kept, last]) expect(text).toContain(stays);
  expect((await get(tenant, id)).body.data).toMatchObject({ rows: before.rows - 1, bytes: Buffer.byteLength(text) });
});
