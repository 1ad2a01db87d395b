import { beforeAll, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { campaign } from '../../support/factories/campaign.ts';
import { channel } from '../../support/factories/channel.ts';
import { contact } from '../../support/factories/contact.ts';
import { recipientFiles } from '../../support/recipient-files.ts';
import { storedRecipients } from '../../support/stored/campaigns.ts';
import { storedContacts } from '../../support/stored/contacts.ts';
import { storedCrmImports } from '../../support/stored/crm.ts';

const app = useApp({ workers: true, env: { IMPORT_MAX_BYTES: '3000000' } });
const { upload, get, imported, errorsOf } = recipientFiles(app);
let channelId: string;
beforeAll(async () => {
  channelId = (await channel(app.em(), app.tenant.organizationId)).id;
});

const lines = (...all: string[]) => `${all.join('\n')}\n`;
const draft = async (status: 'draft' | 'completed' | 'paused' = 'draft') =>
  (await campaign(app.em(), app.tenant.organizationId, { channelIds: [channelId], status })).id;
async function person(tenant: Tenant = app.tenant) {
  const phone = `+${app.phone()}`;
  const { id } = await contact(app.em(), tenant.organizationId, { phone });
  return { id, phone };
}
const rowsOf = (id: string): Promise<Body[]> => storedRecipients.all(app, { campaign_id: id }, { orderBy: 'id' });
const create = { query: { create_contacts: true } };

describe('a file', () => {
  test('names people by any of their identities, and gives each parameters', async () => {
    const id = await draft();
    const [one, other] = [await person(), await person()];
    const email = `${uuidv7()}@example.com`;
    const third = (await app.call('contacts.create', { body: { email } })).body.data.id;
    const fourth = (await app.call('contacts.create', { body: { external_source: 'shop', external_id: 'C-77' } })).body.data.id;
    const result = await imported(
      id,
      lines(
        'Contact_ID,phone,email,external_source,external_id,param.code,param.gift',
        `${one.id.toUpperCase()},${one.phone},,,,A,`,
        `,${other.phone.slice(1)},,,,B,"Tea, or coffee"`,
        `,,${email.toUpperCase()},,,C,`,
        ',,,shop,C-77,D,',
      ),
    );
    expect(result).toMatchObject({ status: 'succeeded', campaign_id: id, rows: 4, created: 4, failed: 0, failure: null });
    expect((await rowsOf(id)).map(({ contact_id, parameters }) => [contact_id, parameters])).toEqual([
      [one.id, { code: 'A', gift: '' }],
      [other.id, { code: 'B', gift: 'Tea, or coffee' }],
      [third, { code: 'C', gift: '' }],
      [fourth, { code: 'D', gift: '' }],
    ]);
    const events = await app.events(result.id);
    expect(events).toMatchObject([{ type: 'campaign.recipients_imported', data: { campaign_id: id, created: 4, failed: 0 } }]);
  });

  test('of 3,000 rows twice gives the same rows', async () => {
    const id = await draft();
    const rows = Array.from({ length: 3_000 }, (_, n) => `+1${2_025_550_000 + n},P ${n},C-${n}`);
    const file = lines('phone_number,name,param.code', ...rows);
    expect(await imported(id, file, create)).toMatchObject({ rows: 3_000, created: 3_000, failed: 0 });
    const before = await rowsOf(id);
    expect(before.map(({ parameters }) => parameters.code)).toEqual(rows.map((_, n) => `C-${n}`));
    expect(await imported(id, file, create)).toMatchObject({ rows: 3_000, created: 0, updated: 0, unchanged: 3_000 });
    expect(await rowsOf(id)).toEqual(before);
    const people = await storedContacts.all(app, { organization_id: app.tenant.organizationId }, { columns: ['name'] });
    expect(people.filter(({ name }) => name.startsWith('P '))).toHaveLength(3_000);
  });

  test('changes parameters of those who wait; one person on several lines is one recipient', async () => {
    const id = await draft('paused');
    const { id: contactId, phone } = await person();
    await imported(id, lines('phone_number,param.code', `${phone},A`));
    const result = await imported(id, lines('contact_id,param.code', `${contactId},B`, `${contactId},C`));
    expect(result).toMatchObject({ created: 0, updated: 1, unchanged: 1 });
    expect((await rowsOf(id)).map(({ parameters }) => parameters)).toEqual([{ code: 'C' }]);
    // Without such columns they stay.
    expect(await imported(id, lines('contact_id', contactId))).toMatchObject({ unchanged: 1 });
    expect((await rowsOf(id))[0]!.parameters).toEqual({ code: 'C' });
  });

  test('makes contacts only where it was asked to, with name and addresses', async () => {
    const id = await draft();
    const phone = `+${app.phone()}`;
    const file = lines('phone_number,name,email', `${phone},Ann,Ann@Example.com`, `${phone},Ann,`);
    const refused = await imported(id, file);
    expect(refused).toMatchObject({ created: 0, failed: 2 });
    expect(await errorsOf(refused.id)).toEqual([
      [2, 'phone_number', 'contact.unknown'],
      [3, 'phone_number', 'contact.unknown'],
    ]);
    expect(await imported(id, file, create)).toMatchObject({ created: 1, unchanged: 1, failed: 0 });
    const [recipient] = await rowsOf(id);
    const { body } = await app.call('contacts.get', { params: { contactID: recipient!.contact_id } });
    expect(body.data).toMatchObject({ name: 'Ann', phone_number: phone, email: expect.stringMatching(/ann@example.com/i) });
    const others = await app.events(recipient!.contact_id);
    expect(others).toEqual([]);
  });

  test('is what an export of contacts wrote', async () => {
    const tenant = await app.organization();
    const { id: ownChannel } = await channel(app.em(), tenant.organizationId);
    const { id } = await campaign(app.em(), tenant.organizationId, { channelIds: [ownChannel] });
    await app.call('contacts.create', {
      key: tenant.key,
      body: { phone_number: '+16505552001', name: '=cmd', custom_fields: { tier: 1 } },
    });
    const { text } = await app.call('contacts.export', { key: tenant.key });
    const { body } = await upload(id, text, { tenant });
    await app.idle();
    expect((await get(body.data.id, tenant)).body.data).toMatchObject({ status: 'succeeded', created: 1, failed: 0 });
  });
});

describe('bad input', () => {
  test('1,000 bad lines are left out and reported, and the good ones are added', async () => {
    const id = await draft();
    const { phone } = await person();
    const bad = Array.from({ length: 1_000 }, (_, n) => ['12', `+1${3_035_550_000 + n}`][n % 2]!);
    const result = await imported(id, lines('phone_number,param.code', ...bad.map((one) => `${one},X`), `${phone},Y`));
    expect(result).toMatchObject({ status: 'succeeded', rows: 1_001, created: 1, failed: 1_000 });
    const errors = await errorsOf(result.id);
    expect(errors).toHaveLength(100);
    expect(errors.slice(0, 2)).toEqual([
      [2, 'phone_number', 'phone.possible'],
      [3, 'phone_number', 'contact.unknown'],
    ]);
    expect(JSON.stringify(errors)).not.toContain('3035');
  });

  test('lines that are wrong each in their way', async () => {
    const id = await draft();
    const [one, other] = [await person(), await person()];
    const result = await imported(
      id,
      lines(
        'contact_id,phone_number,external_id,external_source,param.code',
        `${one.id},${other.phone},,,A`,
        'x,,,,A',
        ',,C-1,,A',
        ',,,,A',
        `${uuidv7()},,,,A`,
        `${one.id},,,`,
        `${one.id},,,,${'x'.repeat(1_025)}`,
      ),
    );
    expect(result).toMatchObject({ created: 0, failed: 7 });
    expect(await errorsOf(result.id)).toEqual([
      [2, 'phone_number', 'conflict'],
      [3, 'contact_id', 'string.guid'],
      [4, 'external_source', 'object.and.external'],
      [5, '', 'object.missing'],
      [6, 'contact_id', 'contact.unknown'],
      [7, '', 'row.cells'],
      [8, 'param.code', 'string.max'],
    ]);
    expect(await rowsOf(id)).toEqual([]);
  });

  test('a formula is a text, and the quote before it is taken off', async () => {
    const id = await draft();
    const [one, other] = [await person(), await person()];
    await imported(id, lines('phone_number,param.code', `'${one.phone},'=cmd|x`, `${other.phone},=cmd|x`));
    expect((await rowsOf(id)).map(({ parameters }) => parameters.code)).toEqual(['=cmd|x', '=cmd|x']);
  });

  test.each([
    ['two columns of one name', 'phone_number,param.a,param.a\n+16505550001,1,2\n', { code: 'header.duplicate' }],
    ['two names of one column', 'phone,phone_number\n+16505550001,1\n', { code: 'header.duplicate', column: 'phone_number' }],
    ['nothing that names a person', 'name,param.a\nAnn,1\n', { code: 'header.identity' }],
    ['a parameter of no name', 'phone_number,param.\n+16505550001,1\n', { code: 'header.unknown' }],
    [
      '21 parameters',
      `phone_number${Array.from({ length: 21 }, (_, n) => `,param.p${n}`).join('')}\n`,
      { code: 'header.parameters' },
    ],
  ])('%s fails the file, and nobody is added', async (_what, file, failure) => {
    const id = await draft();
    expect(await imported(id, file)).toMatchObject({ status: 'failed', created: 0, failure });
    expect(await rowsOf(id)).toEqual([]);
  });

  test('an ended campaign takes no file', async () => {
    expect((await upload(await draft('completed'), 'phone_number\n+16505550001\n')).status).toBe(409);
    expect(await storedCrmImports.count(app, { state: 'uploading' })).toBe(0);
  });
});

describe('access', () => {
  test('a foreign campaign and a foreign import are a 404; deals and records do not show it', async () => {
    const id = await draft();
    const tenant = await app.organization();
    expect((await upload(id, 'phone_number\n+16505550001\n', { tenant })).status).toBe(404);
    const { id: importId } = await imported(id, lines('phone_number', (await person()).phone));
    expect((await get(importId, tenant)).status).toBe(404);
    expect((await app.call('crm.imports.get', { params: { crmImportID: importId } })).status).toBe(404);
    const { items, data } = (await app.call('crm.imports.list')).body;
    expect(JSON.stringify(items ?? data)).not.toContain(importId);
  });

  test('it takes contacts:read, and contacts:write to make contacts; its operation takes campaigns:read', async () => {
    const id = await draft();
    const keyOf = async (...scopes: Parameters<typeof app.key>[1]) => ({
      ...app.tenant,
      ...(await app.key(app.tenant.organizationId, scopes)),
    });
    const file = lines('phone_number', (await person()).phone);
    expect((await upload(id, file, { tenant: await keyOf('campaigns:write') })).text).toContain('contacts:read');
    const tenant = await keyOf('campaigns:read', 'campaigns:write', 'contacts:read');
    expect((await upload(id, file, { tenant, ...create })).text).toContain('contacts:write');
    const { status, headers } = await upload(id, file, { tenant });
    expect(status).toBe(201);
    const params = { operationID: headers.get('operation-id')! };
    const operation = await app.call('operations.get', { key: tenant.key, params });
    expect(operation.body).toMatchObject({ name: 'campaigns.import', subject: { type: 'campaign_import' } });
    await app.idle();
  });

  test('a client that waits gets the outcome; the same key again the same import', async () => {
    const id = await draft();
    const body = lines('phone_number', (await person()).phone);
    const asked = { params: { campaignID: id }, body, headers: { prefer: 'wait=10', 'idempotency-key': uuidv7() } };
    const first = await app.call('campaigns.recipients.import', asked);
    expect([first.status, first.body.data.status, first.body.data.created]).toEqual([201, 'succeeded', 1]);
    expect(first.headers.get('location')).toBe(`/v1/campaigns/imports/${first.body.data.id}`);
    const again = await app.call('campaigns.recipients.import', asked);
    expect(again.body.data.id).toBe(first.body.data.id);
  });
});
