import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { person } from '../../support/factories/person.ts';
import { type Asked, kind, lines, recordFiles, vehicles } from '../../support/record-files.ts';
import { storedActs, storedUsers } from '../../support/stored/accounts.ts';
import {
  storedCrmImportChunks,
  storedCrmImports,
  storedHistory,
  storedObjectTypes,
  storedRecordLinks,
  storedRecords,
} from '../../support/stored/crm.ts';

const app = useApp({ workers: true });
const { upload, ended, imported, errorsOf } = recordFiles(app);

beforeAll(() => vehicles(app, app.tenant));

const byPlate = async (plate: string, tenant: Tenant = app.tenant): Promise<Body> => {
  const filters = JSON.stringify([{ field: 'plate', value: plate }]);
  const { body } = await app.call('crm.records.list', { key: tenant.key, params: { objectKind: kind }, query: { filters } });
  return body.items[0];
};
const historyOf = (recordID: string): Promise<Body[]> =>
  storedHistory.all(app, { object_id: recordID }, { columns: ['revision', 'event_id', 'actor', 'changes'], orderBy: 'revision' });

describe('a file', () => {
  test('makes records of every type of value, once: the same file again changes nothing', async () => {
    const { userId } = await person(app.em(), app.tenant.organizationId);
    const [{ email } = { email: '' }] = await storedUsers.all(app, userId, { columns: ['email'] });
    const file = lines(
      'name,a_text,a_long_text,a_number,a_integer,a_boolean,a_date,a_datetime,a_select,a_multi_select,a_email,a_phone,a_url,a_currency,a_user,a_json,plate,custom_fields.tier,metadata',
      `Van,A text,"Lines\nof text",-1.5,12,TRUE,2026-02-28,2026-11-25T10:00:00+01:00,red,red;blue,Fleet@Example.com,+1 650 555 0199,https://example.com/a,9223372036854775807 EUR,${email.toUpperCase()},"{""deep"":[1]}",KA-1,gold,"{""a"":1}"`,
      ',,,,,,,,,,,,,,,,KA-2,,',
    );
    const reply = await upload(file, { key: 'plate', source: 'registry' });
    expect([reply.status, reply.headers.get('location')]).toEqual([201, `/v1/crm/imports/${reply.body.data.id}`]);
    expect(await ended(reply.body.data.id)).toMatchObject({ kind, rows: 2, created: 2, updated: 0, failed: 0, failure: null });
    const van = await byPlate('KA-1');
    expect(van).toMatchObject({
      display_name: 'Van',
      fields: {
        a_text: 'A text',
        a_long_text: 'Lines\nof text',
        a_number: -1.5,
        a_integer: 12,
        a_boolean: true,
        a_date: '2026-02-28',
        a_datetime: '2026-11-25T09:00:00.000Z',
        a_select: 'red',
        a_multi_select: ['red', 'blue'],
        a_email: 'fleet@example.com',
        a_phone: '+16505550199',
        a_url: 'https://example.com/a',
        a_currency: { amount_minor: '9223372036854775807', currency_code: 'EUR' },
        a_user: userId,
        a_json: { deep: [1] },
        seats: 4,
      },
      custom_fields: { tier: 'gold' },
      metadata: { a: 1 },
      revision: 1,
      enrichment_summary: { sources: [{ source: 'registry' }] },
    });
    expect((await byPlate('KA-2')).fields).toEqual({ plate: 'KA-2', seats: 4 });
    const id = reply.body.data.id;
    expect(await historyOf(van.id)).toMatchObject([
      {
        revision: 1,
        event_id: null,
        actor: `import:${id}`,
        changes: { plate: { from: null, to: 'KA-1' }, 'custom_fields.tier': { to: 'gold' } },
      },
    ]);
    expect(await imported(file, { key: 'plate' })).toMatchObject({ created: 0, updated: 0, unchanged: 2, failed: 0 });
    expect((await byPlate('KA-1')).updated_at).toBe(van.updated_at);
    expect(await storedCrmImportChunks.count(app)).toBe(0);
    const events = (await app.events(app.tenant.organizationId)).filter(({ type }) => /^(crm\.imported|record)/.test(type));
    expect(events.map(({ type }) => type)).toEqual(['crm.imported', 'crm.imported']);
    expect(events[0]!.data).toMatchObject({ import_id: id, object_kind: kind, created: 2, failed: 0 });
    const [act] = await storedActs.all(app, { action: 'crm.records.import' }, { columns: ['subject', 'details'] });
    expect(act).toEqual({ subject: `object_type:${kind}`, details: { import_id: id } });
  });

  test('updates by a unique field: given cells only, rows of one record together in one revision', async () => {
    await imported(lines('plate,name,a_text', 'UP-1,Old,kept'), { key: 'plate' });
    const result = await imported(lines('plate,name,a_integer', 'up-1,New,', 'UP-2,Other,', 'UP-1,,7', 'UP-2,Other,'), {
      key: 'plate',
    });
    expect(result).toMatchObject({ created: 1, updated: 2, unchanged: 1 });
    const one = await byPlate('UP-1');
    expect(one).toMatchObject({ fields: { plate: 'UP-1', name: 'New', a_text: 'kept', a_integer: 7 }, revision: 2 });
    expect((await historyOf(one.id))[1]!.changes).toEqual({
      name: { from: 'Old', to: 'New' },
      a_integer: { from: null, to: 7 },
    });
    expect((await byPlate('UP-2')).revision).toBe(1);
  });

  test('without a key makes new ones, or updates by id; create refuses what is there', async () => {
    await imported(lines('plate,name', 'ID-1,One'));
    const { id } = await byPlate('ID-1');
    expect(await imported(lines('id,name', `${id.toUpperCase()},Two`, ',New'))).toMatchObject({ created: 1, updated: 1 });
    expect((await byPlate('ID-1')).fields.name).toBe('Two');
    const gone = await imported(lines('id,name', `${uuidv7()},Nobody`));
    expect(gone).toMatchObject({ failed: 1 });
    expect(await errorsOf(gone.id)).toEqual([{ line: 2, column: 'id', code: 'not_found', message: 'No record has this id' }]);
    const refused = await imported(lines('plate,name', 'ID-1,Three', 'ID-3,Three'), { key: 'plate', mode: 'create' });
    expect(refused).toMatchObject({ created: 1, failed: 1 });
    expect((await errorsOf(refused.id))[0]).toMatchObject({ line: 2, column: 'plate', code: 'unique' });
  });

  test('a unique value of another record is refused, within the file too', async () => {
    const result = await imported(lines('plate,chassis', 'U-1,1', 'U-2,1', 'U-3,2', 'U-1,2'), { key: 'plate' });
    expect(result).toMatchObject({ created: 2, failed: 2 });
    expect(await errorsOf(result.id)).toEqual([
      { line: 3, column: 'chassis', code: 'unique', message: 'Another vehicle has this chassis' },
      { line: 5, column: 'chassis', code: 'unique', message: 'Another vehicle has this chassis' },
    ]);
  });

  test('a value that one row frees, the next may take', async () => {
    await imported(lines('plate,chassis', 'F-1,101', 'F-2,102'), { key: 'plate' });
    expect(await imported(lines('plate,chassis', 'F-1,103', 'F-2,101'), { key: 'plate' })).toMatchObject({
      updated: 2,
      failed: 0,
    });
    expect([(await byPlate('F-1')).fields.chassis, (await byPlate('F-2')).fields.chassis]).toEqual([103, 101]);
  });

  test('names of its own columns are mapped, and others passed over', async () => {
    const columns = JSON.stringify({ Kennzeichen: 'plate', Muell: null });
    expect(await imported(lines('Kennzeichen,Muell,name', 'MAP-1,x,Mapped'), { columns })).toMatchObject({ created: 1 });
    expect((await byPlate('MAP-1')).fields.name).toBe('Mapped');
  });

  test('an export is read back unchanged', async () => {
    const tenant = await app.organization();
    await vehicles(app, tenant);
    await imported(
      lines('plate,name,a_number,a_multi_select,a_currency,a_json', 'B-1,"=1+1, ""x""",-2,red;blue,5 JPY,[1]', "B-2,'quoted,,,,"),
      {},
      tenant,
    );
    const params = { objectKind: kind };
    const file = await app.call('crm.records.export', { key: tenant.key, params });
    expect(parse(file.text, { columns: true })[0]).toMatchObject({ name: `'=1+1, "x"`, a_number: '-2', a_currency: '5 JPY' });
    expect(await imported(file.text, { key: 'plate' }, tenant)).toMatchObject({ unchanged: 2, failed: 0 });
  });
});

describe('links', () => {
  test('to contacts by any identity, to records by a unique field: both ends are told', async () => {
    const contact = async (body: object) => (await app.call('contacts.create', { body })).body.data.id as string;
    const [phone, email, external, id] = [
      await contact({ phone_number: '+16505550301' }),
      await contact({ email: 'driver@example.com' }),
      await contact({ external_source: 'shop', external_id: 'D-1' }),
      await contact({ email: 'by-id@example.com' }),
    ];
    await imported(lines('code,name', 'G-1,Garage one'), { key: 'code' }, app.tenant, 'garage');
    const file = lines(
      'plate,drivers.phone_number,drivers.email,drivers.external_source,drivers.external_id,drivers.id,home.code',
      `L-1,+1 650 555 0301,Driver@example.com,shop,D-1,${id},g-1`,
      'L-2,,,,,,G-1',
    );
    expect(await imported(file, { key: 'plate' })).toMatchObject({ created: 2, failed: 0 });
    const one = await byPlate('L-1');
    const { drivers, home } = one.relationships_summary;
    expect(drivers.count).toBe(4);
    const links = await storedRecordLinks.all(app, { record_id: one.id });
    const linked = links.map(({ contact_id }) => contact_id).filter((contactId) => contactId !== null);
    expect(linked.sort()).toEqual([phone, email, external, id].sort());
    expect(home.items[0].display_name).toBe('Garage one');
    const garage = home.items[0].id;
    expect((await historyOf(garage)).slice(1)).toMatchObject([
      { revision: 2, changes: { parked: { from: [], to: [one.id] } } },
      { revision: 3, changes: { parked: { from: [] } } },
    ]);
    expect(await storedRecords.one(app, garage, ['revision'])).toEqual({ revision: 3 });
    expect((await historyOf(one.id)).map(({ revision }) => revision)).toEqual([1, 2, 3, 4]);
    expect(one.revision).toBe(4);
    expect(await imported(file, { key: 'plate' })).toMatchObject({ unchanged: 2, failed: 0 });
  });

  test('of what is not there, of another organization, or without room are refused with their row', async () => {
    const stranger = await app.organization();
    const theirs = (await app.call('contacts.create', { key: stranger.key, body: { email: 'theirs@example.com' } })).body.data.id;
    await imported(lines('code,name', 'R-1,One', 'R-2,Two'), { key: 'code' }, app.tenant, 'garage');
    await imported(lines('plate,home.code', 'R-1,R-1'), { key: 'plate' });
    const result = await imported(
      lines(
        'plate,drivers.id,drivers.email,home.code',
        `R-3,${theirs},,`,
        'R-3,,theirs@example.com,',
        'R-3,,,nowhere',
        'R-1,,,R-2',
        'R-3,,,R-1;R-2',
        'R-3,nobody,,',
      ),
      { key: 'plate' },
    );
    expect(result).toMatchObject({ created: 0, updated: 0, failed: 6 });
    expect((await errorsOf(result.id)).map(({ line, column, code }) => [line, column, code])).toEqual([
      [2, 'drivers.id', 'reference.unknown'],
      [3, 'drivers.email', 'reference.unknown'],
      [4, 'home.code', 'reference.unknown'],
      [5, 'home.code', 'relation.taken'],
      [6, 'home.code', 'relation.taken'],
      [7, 'drivers.id', 'reference.invalid'],
    ]);
  });
});

test('a file is for the type that has the kind when it is taken', async () => {
  const { body } = await upload('plate\nKA-77\n');
  const { organization_id, object_kind, request } = await storedCrmImports.one(app, body.data.id);
  const type = await storedObjectTypes.one(app, { organization_id, kind: object_kind });
  expect(request.typeId).toBe(type.id);
});

test('a caller without contacts:read looks no contact up', async () => {
  const tenant = await app.organization(['crm:read', 'crm:write']);
  await vehicles(app, tenant);
  const reply = await app.call('crm.records.import', {
    key: tenant.key,
    params: { objectKind: kind },
    body: 'plate,drivers.email\nS-1,a@example.com\n',
  });
  expect(reply.status).toBe(201);
  expect(await ended(reply.body.data.id, tenant)).toMatchObject({ status: 'failed', failure: { code: 'header.forbidden' } });
});

test('another organization sees neither the import nor its errors', async () => {
  const { id } = await imported(lines('plate', 'T-1'));
  const stranger = await app.organization();
  for (const operationId of ['crm.imports.get', 'crm.imports.errors', 'crm.imports.errors.export'])
    expect((await app.call(operationId, { key: stranger.key, params: { crmImportID: id } })).status).toBe(404);
  expect((await app.call('crm.imports.list', { key: stranger.key })).body.data).toEqual([]);
});

test('the same Idempotency-Key with another query is another request', async () => {
  const headers = { 'Idempotency-Key': 'a-file' };
  const ask = (query: Asked) =>
    app.call('crm.records.import', { params: { objectKind: kind }, query, headers, body: 'plate\nI-1\n' });
  const first = await ask({});
  expect((await ask({})).body.data.id).toBe(first.body.data.id);
  expect((await ask({ mode: 'create' })).status).toBe(422);
});
