import { describe, expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { storedActs } from '../../support/stored/accounts.ts';
import {
  storedContactImportChunks,
  storedContactImports,
  storedContacts,
  storedIdentities,
  storedSuppressedAddresses,
  storedSuppressions,
  storedTags,
} from '../../support/stored/contacts.ts';
import { ago, now } from '../../support/stored/times.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true, env: { IMPORT_MAX_BYTES: '100000' } });

const upload = (body: string | Buffer, tenant: Tenant = app.tenant, headers: Record<string, string> = {}) =>
  app.call('contacts.import', { key: tenant.key, body, headers });

const ended = (id: string, tenant: Tenant = app.tenant): Promise<Body> =>
  waitFor('the import to end', async () => {
    const { data } = (await app.call('contacts.imports.get', { key: tenant.key, params: { importID: id } })).body;
    return ['succeeded', 'failed'].includes(data.status) && data;
  });

async function imported(body: string | Buffer, tenant: Tenant = app.tenant): Promise<Body> {
  const reply = await upload(body, tenant);
  expect(reply.status).toBe(201);
  return ended(reply.body.data.id, tenant);
}

const errorsOf = async (id: string, tenant: Tenant = app.tenant): Promise<Body[]> =>
  (await app.call('contacts.imports.errors', { key: tenant.key, params: { importID: id }, query: { limit: 100 } })).body.data;
const contactsOf = ({ organizationId }: Tenant): Promise<Body[]> =>
  app.rows(
    `select k.*, array(select t.name from contact_tags a join tags t on t.id = a.tag_id where a.contact_id = k.id order by 1) as tags
       from contacts k where organization_id = $1 order by k.id`,
    [organizationId],
  );
const lines = (...all: string[]) => `${all.join('\n')}\n`;

describe('a file', () => {
  test('makes contacts, once: the same file again changes nothing', async () => {
    const tenant = await app.organization();
    const file = lines(
      'name,phone_number,email,external_source,external_id,tags,custom_fields.tier,custom_fields.visits,custom_fields.is_new',
      'Ada,+1 650 555 1001,Ada@Example.com,shop,C-1,vip; newsletter ,gold,17,true',
      'Grace,+16505551002,,,,,,,',
      ',,only@example.com,,,VIP,007,1.50,TRUE',
    );
    const first = await upload(file, tenant);
    expect([first.status, first.headers.get('location')]).toEqual([201, `/v1/contacts/imports/${first.body.data.id}`]);
    expect(await ended(first.body.data.id, tenant)).toMatchObject({
      status: 'succeeded',
      rows: 3,
      created: 3,
      updated: 0,
      unchanged: 0,
      failed: 0,
      failure: null,
    });
    const before = await contactsOf(tenant);
    expect(before).toMatchObject([
      {
        name: 'Ada',
        phone_number: '+16505551001',
        email: 'Ada@Example.com',
        external_source: 'shop',
        external_id: 'C-1',
        custom_fields: { tier: 'gold', visits: 17, is_new: true },
        tags: ['newsletter', 'vip'],
      },
      { name: 'Grace', phone_number: '+16505551002', custom_fields: {}, tags: [] },
      {
        name: '',
        phone_number: '',
        email: 'only@example.com',
        custom_fields: { tier: '007', visits: 1.5, is_new: 'TRUE' },
        tags: ['vip'],
      },
    ]);
    expect(await imported(file, tenant)).toMatchObject({ created: 0, updated: 0, unchanged: 3, failed: 0 });
    expect(await contactsOf(tenant)).toEqual(before);
    expect(await storedContactImportChunks.count(app)).toBe(0);
    const events = await app.events(tenant.organizationId);
    expect(events.map(({ type }) => type)).toEqual(['contacts.imported', 'contacts.imported']);
    expect(events[0].data).toMatchObject({ import_id: first.body.data.id, created: 3, updated: 0, unchanged: 0, failed: 0 });
    const operation = await app.call('operations.get', {
      key: tenant.key,
      params: { operationID: first.headers.get('operation-id')! },
    });
    expect(operation.body).toMatchObject({
      status: 'succeeded',
      progress: { rows: 3, failed: 0 },
      subject: { type: 'contact_import' },
    });
    const [act] = await storedActs.all(
      app,
      { action: 'contacts.import', organization_id: tenant.organizationId },
      { columns: ['subject'] },
    );
    expect(act.subject).toBe(`contact_import:${first.body.data.id}`);
  });

  test('updates given cells only, adds what is new, and keeps the search up to date', async () => {
    const tenant = await app.organization();
    await imported(lines('phone_number,name,email,custom_fields.a', '+16505552001,Ada,ada@example.com,1'), tenant);
    const [before] = await contactsOf(tenant);
    const result = await imported(
      lines('email,phone_number,name,custom_fields.b,tags', 'ADA@example.com,+16505552002,,2,late'),
      tenant,
    );
    expect(result).toMatchObject({ created: 0, updated: 1 });
    const [after] = await contactsOf(tenant);
    expect(after).toMatchObject({
      id: before.id,
      name: 'Ada',
      phone_number: '+16505552002',
      custom_fields: { a: 1, b: 2 },
      tags: ['late'],
    });
    expect(after.updated_at > before.updated_at).toBe(true);
    expect(await imported(lines('email,tags', 'ada@example.com,LATE;more'), tenant)).toMatchObject({ updated: 1 });
    const [tagged] = await contactsOf(tenant);
    expect([tagged.tags, tagged.updated_at > after.updated_at]).toEqual([['late', 'more'], true]);
    expect(after.search).toContain('\n16505552001');
    for (const phone of ['+16505552001', '+16505552002'])
      expect((await app.call('contacts.get-by-phone', { key: tenant.key, params: { phone } })).body.data.id).toBe(before.id);
  });

  test('rows that are one person come one after the other, whichever identity they share', async () => {
    const tenant = await app.organization();
    await imported(lines('phone_number,email', '+16505553001,known@example.com'), tenant);
    const result = await imported(
      lines(
        'phone_number,email,name',
        '+16505553002,,First',
        '+16505553002,second@example.com,Second',
        ',second@example.com,Third',
        '+16505553001,,By phone',
        ',known@example.com,By email',
        '+16505553001,second@example.com,Both',
        ',second@example.com,Third',
      ),
      tenant,
    );
    expect(result).toMatchObject({ created: 1, updated: 4, unchanged: 1, failed: 1 });
    expect(await errorsOf(result.id, tenant)).toEqual([
      {
        line: 7,
        column: '',
        code: 'conflict',
        message: `The identities belong to different contacts: ${(await contactsOf(tenant)).map(({ id }) => id).join(', ')}`,
      },
    ]);
    expect((await contactsOf(tenant)).map(({ name, email }) => [name, email])).toEqual([
      ['By email', 'known@example.com'],
      ['Third', 'second@example.com'],
    ]);
  });

  test('the id of a contact names it, as one needs who is known by the app’s own id alone', async () => {
    const tenant = await app.organization();
    const make = async (body: object): Promise<string> =>
      (await app.call('contacts.create', { key: tenant.key, body })).body.data.id;
    const [first, second] = [await make({ email: 'first@example.com' }), await make({ email: 'second@example.com' })];
    const foreign = (await app.call('contacts.create', { body: { email: 'foreign@example.com' } })).body.data.id;
    await storedContacts.change(app, first, { email: '' });
    await storedIdentities.change(app, { contact_id: first }, { type: 'messaging_app_id', value: 'US.17' });
    const file = lines(
      'ID,Name,email, Phone_Number ',
      `${first.toUpperCase()},By id,,`,
      `${first},By id,,+16505553101`,
      `${second},Both,second@example.com,`,
      `${first},Two,second@example.com,`,
      `${foreign},Nobody,,`,
      `${foreign},New,new@example.com,`,
      `17,No id,x@example.com,`,
    );
    const result = await imported(file, tenant);
    expect(result).toMatchObject({ created: 1, updated: 3, unchanged: 0, failed: 3 });
    expect((await errorsOf(result.id, tenant)).map(({ line, column, code }) => [line, column, code])).toEqual([
      [5, '', 'conflict'],
      [6, 'id', 'not_found'],
      [8, 'id', 'string.guid'],
    ]);
    expect((await contactsOf(tenant)).map(({ id, name, phone_number }) => [id, name, phone_number])).toEqual([
      [first, 'By id', '+16505553101'],
      [second, 'Both', ''],
      [expect.not.stringMatching(foreign), 'New', ''],
    ]);
    expect(await imported(file, tenant)).toMatchObject({ created: 0, updated: 0, unchanged: 4, failed: 3 });
    const { text } = await app.call('contacts.export', { key: tenant.key });
    expect(await imported(text, tenant)).toMatchObject({ created: 0, updated: 0, unchanged: 3, failed: 0 });
    expect((await app.call('contacts.get', { params: { contactID: foreign } })).body.data.name).toBe('');
  });

  test('refused rows are left out and reported by line and column, never with what stood there', async () => {
    const tenant = await app.organization();
    const result = await imported(
      lines(
        'phone_number,name,email,external_source,external_id,custom_fields.note',
        '+16505554001,"Two\nlines",,,,',
        '12,Short,,,,',
        '',
        ',Nobody,,,,',
        `+16505554002,${'x'.repeat(201)},not-an-address,,,`,
        '+16505554003,One cell too many,,,,,',
        '+16505554004,Half,,shop,,',
        `+16505554005,Large,,,,${'y'.repeat(17_000)}`,
        '+16505554006,Nul,,,,"""a\\u0000b"""',
        '+16505554007,Good,,,,',
      ),
      tenant,
    );
    expect(result).toMatchObject({ status: 'succeeded', rows: 9, created: 2, failed: 7 });
    const errors = await errorsOf(result.id, tenant);
    expect(errors.map(({ line, column, code }) => [line, column, code])).toEqual([
      [4, 'phone_number', 'phone.possible'],
      [6, 'phone_number', 'object.missing'],
      [7, 'name', 'string.max'],
      [7, 'email', 'string.email'],
      [8, '', 'row.cells'],
      [9, 'external_id', 'object.and.external'],
      [10, 'custom_fields', 'custom.size'],
      [11, 'custom_fields.note', 'string.nul'],
    ]);
    expect(JSON.stringify(errors)).not.toMatch(/not-an-address|yyy|xxx|"12"/);
    const page = await app.call('contacts.imports.errors', {
      key: tenant.key,
      params: { importID: result.id },
      query: { limit: 3 },
    });
    expect(page.body.data.map(({ line }: Body) => line)).toEqual([4, 6, 7]);
    const { next_cursor: cursor } = page.body.meta;
    const rest = await app.call('contacts.imports.errors', {
      key: tenant.key,
      params: { importID: result.id },
      query: { cursor, include_total: true },
    });
    expect([rest.body.data.length, rest.body.meta.total, rest.body.meta.has_more]).toEqual([5, 8, false]);
    const other = await imported(lines('phone_number', '1'), tenant);
    const wrong = await app.call('contacts.imports.errors', {
      key: tenant.key,
      params: { importID: other.id },
      query: { cursor },
    });
    expect(wrong.status).toBe(400);
  });

  test('quotes, CRLF, a byte order mark, emoji, right-to-left and formulas arrive as they are meant', async () => {
    const tenant = await app.organization();
    const file = Buffer.from(
      '\ufeffphone_number,name\r\n\'+16505555001,"O\'Neill, ""Bo"""\r\n+16505555002,👩‍👩‍👧 שלום مرحبا\r\n+16505555003,\'=1+1\r\n+16505555004,\'\'-x\r\n+16505555005,=HYPERLINK(1)',
    );
    expect(await imported(file, tenant)).toMatchObject({ created: 5, failed: 0 });
    expect((await contactsOf(tenant)).map(({ phone_number, name }) => [phone_number, name])).toEqual([
      ['+16505555001', 'O\'Neill, "Bo"'],
      ['+16505555002', '👩‍👩‍👧 שלום مرحبا'],
      ['+16505555003', '=1+1'],
      ['+16505555004', "'-x"],
      ['+16505555005', '=HYPERLINK(1)'],
    ]);
  });

  test('who was forgotten and comes back stays suppressed', async () => {
    const tenant = await app.organization();
    const hash = app.web.deps.secrets.hash(`${tenant.organizationId}\nphone:16505556001`);
    await storedSuppressedAddresses.add(app, {
      organization_id: tenant.organizationId,
      hash,
      channel: 'all',
      reason: 'unsubscribed',
    });
    await imported(lines('phone_number', '+16505556001', '+16505556002'), tenant);
    const suppressed = await storedSuppressions.one(app, { organization_id: tenant.organizationId });
    expect(suppressed.channel).toBe('all');
    expect(suppressed.reason).toBe('unsubscribed');
    expect((await storedContacts.one(app, suppressed.contact_id)).phone_number).toBe('+16505556001');
  });
});

describe('a file that cannot be read', () => {
  test.each([
    ['an unknown column among others', 'Phone,Name\n+16505551234,Ada', 'header.unknown', 1, 'Phone'],
    [
      'a custom field that no object may have',
      'phone_number,custom_fields.__proto__\n+1,1',
      'header.unknown',
      1,
      'custom_fields.__proto__',
    ],
    ['a column twice, in another case', 'email,Email\na@example.com,b@example.com', 'header.duplicate', 1, 'email'],
    ['no column that names anybody', 'name,tags\nAda,vip', 'header.identity', 1, undefined],
  ])('%s', async (_what, file, code, line, column) => {
    const tenant = await app.organization();
    const result = await imported(file, tenant);
    expect(result).toMatchObject({
      status: 'failed',
      failure: { code, ...(line && { line }), ...(column !== undefined && { column }) },
    });
    expect(await contactsOf(tenant)).toEqual([]);
    const events = await app.events(tenant.organizationId);
    expect(events.map(({ type }) => type)).toEqual(['operation.failed']);
    expect(JSON.stringify([result, events])).not.toMatch(/Ada|65055512/);
  });

  test('what was read before the fault stays', async () => {
    const tenant = await app.organization();
    const result = await imported(lines('phone_number,name', '+16505551234,Ada', '+16505551235,"Grace" H'), tenant);
    expect(result).toMatchObject({ status: 'failed', rows: 1, created: 1, failure: { code: 'csv', line: 3 } });
  });
});

describe('a file that is not taken', () => {
  test('more than may wait or run: refused before a byte of it is stored, until one has ended', async () => {
    const tenant = await app.organization();
    const pending = (at: string) =>
      storedContactImports.addMany(app, 10, () => ({
        organization_id: tenant.organizationId,
        state: 'uploading',
        actor: 'cli',
        created_at: at,
      }));
    await pending(now());
    const before = await app.counts();
    const refused = await upload(lines('phone_number', '+16505557101'), tenant);
    expect([refused.status, refused.body.error.code]).toEqual([422, 'limit_reached']);
    expect(refused.body.error.message).toContain('at most 10 imports');
    expect(await app.counts()).toEqual(before);
    const again = await upload(lines('phone_number', '+16505557101'), tenant, { 'Idempotency-Key': 'refused' });
    expect([again.status, again.body.error.code]).toEqual([422, 'limit_reached']);
    await imported(lines('phone_number', '+16505557101'));
    const clear = () => storedContactImports.remove(app, { organization_id: tenant.organizationId, state: 'uploading' });
    await clear();
    // Uploads of a process that died count for no longer than an upload may take.
    await pending(ago(31, 'minute'));
    await imported(lines('phone_number', '+16505557101'), tenant);
    await clear();
  });

  test('a repeat of one that was taken gets its reply, however many wait by now, and leaves nothing', async () => {
    const tenant = await app.organization();
    const file = lines('phone_number', '+16505557102');
    const key = { 'Idempotency-Key': 'the last one' };
    const taken = await upload(file, tenant, key);
    expect(taken.status).toBe(201);
    await ended(taken.body.data.id, tenant);
    await storedContactImports.addMany(app, 10, () => ({
      organization_id: tenant.organizationId,
      state: 'uploading',
      actor: 'cli',
    }));
    const before = await app.counts();
    const repeated = await upload(file, tenant, key);
    expect([repeated.status, repeated.body]).toEqual([201, taken.body]);
    const another = await upload(lines('phone_number', '+16505557103'), tenant, key);
    expect([another.status, another.body.error.code]).toEqual([422, 'idempotency_mismatch']);
    // The file goes once the reply has been sent.
    await waitFor('the upload to go', async () => (await app.counts()).contact_imports === before.contact_imports);
    expect(await app.counts()).toEqual(before);
    await storedContactImports.remove(app, { organization_id: tenant.organizationId, state: 'uploading' });
  });

  test('too large without a length that says so: nothing stays', async () => {
    const before = await app.counts();
    const body = new ReadableStream({
      start(controller) {
        for (let piece = 0; piece < 30; piece += 1) controller.enqueue(Buffer.alloc(10_000, 'a'));
        controller.close();
      },
    });
    const request = {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': 'text/csv', 'x-api-key': app.tenant.key },
    };
    const reply = await fetch(`${app.base}/v1/contacts/import`, request as RequestInit);
    expect([reply.status, ((await reply.json()) as Body).error.code]).toEqual([413, 'payload_too_large']);
    expect(await app.counts()).toEqual(before);
  });

  test('broken off by its sender: nothing stays', async () => {
    const before = await app.counts();
    const sender = new AbortController();
    const body = new ReadableStream({
      async pull(controller) {
        controller.enqueue(Buffer.from('phone_number\n'));
        await waitFor('the upload', async () => (await app.counts()).contact_imports! > before.contact_imports!);
        sender.abort();
      },
    });
    const request = {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': 'text/csv', 'x-api-key': app.tenant.key },
    };
    const reply = fetch(`${app.base}/v1/contacts/import`, { ...request, signal: sender.signal } as RequestInit);
    await expect(reply).rejects.toThrow();
    await waitFor('it to be gone', async () => (await app.counts()).contact_imports === before.contact_imports);
  });
});

test('Prefer: wait gives the import as it failed, too', async () => {
  const { status, headers, body } = await app.call('contacts.import', {
    body: 'phone_number,shoe\n+16505551001,42\n',
    headers: { prefer: 'wait=10' },
  });
  expect([status, headers.get('preference-applied')]).toEqual([201, 'wait=10']);
  expect(body.data).toMatchObject({ status: 'failed', failure: { code: 'header.unknown', column: 'shoe' } });
});

test('the imports are the organization’s own', async () => {
  const stranger = await app.organization();
  const { id } = await imported(lines('phone_number', '1'));
  for (const operationId of ['contacts.imports.get', 'contacts.imports.errors'])
    expect((await app.call(operationId, { key: stranger.key, params: { importID: id } })).status).toBe(404);
  expect((await app.call('contacts.imports.list', { key: stranger.key })).body.data).toEqual([]);
  const mine = (await app.call('contacts.imports.list', { query: { limit: 1 } })).body;
  expect([mine.data[0].id, mine.meta.has_more]).toEqual([id, true]);
});

describe('limits of tags and custom fields, as everywhere', () => {
  test('a contact that would have more than 100: the row is refused; one that reaches them is not', async () => {
    const tenant = await app.organization();
    const names = Array.from({ length: 99 }, (_, n) => `t${n}`);
    await imported(lines('email,tags', `ada@example.com,${names.join(';')}`), tenant);
    const { id, ...counts } = await imported(lines('email,tags', 'ada@example.com,T0;a;b', 'ada@example.com,T0;a;A'), tenant);
    expect(counts).toMatchObject({ updated: 1, failed: 1 });
    const message = 'The contact would have more than 100 tags';
    expect(await errorsOf(id, tenant)).toEqual([{ line: 2, column: 'tags', code: 'limit_reached', message }]);
    expect((await contactsOf(tenant))[0].tags).toHaveLength(100);
  });

  test('an organization that would have more than 10,000: the import ends there; those it has can be used', async () => {
    const tenant = await app.organization();
    await storedTags.addMany(app, 10_000, (n) => ({ organization_id: tenant.organizationId, name: `t${n}` }));
    expect(await imported(lines('email,tags', 'ada@example.com,T1;t2'), tenant)).toMatchObject({
      status: 'succeeded',
      created: 1,
    });
    const failed = await imported(lines('email,tags', 'ada@example.com,new'), tenant);
    expect(failed).toMatchObject({ status: 'failed', rows: 0, failure: { code: 'limit_reached', column: 'tags' } });
    expect(await storedTags.count(app, { organization_id: tenant.organizationId, name: 'new' })).toBe(0);
  });

  test.each([
    ['custom.many', Array.from({ length: 150 }, (_, n) => [`b${n}`, '1'])],
    ['custom.size', [['b', 'x'.repeat(15_000)]]],
  ])('of custom fields, with those the contact has: the row is refused with %s', async (code, fields) => {
    const tenant = await app.organization();
    const custom_fields = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`a${n}`, 'x'.repeat(10)]));
    await app.call('contacts.create', { key: tenant.key, body: { phone_number: '+16505558101', custom_fields } });
    const header = fields.map(([key]) => `custom_fields.${key}`).join();
    const { id, failed } = await imported(
      lines(`phone_number,${header}`, `+16505558101,${fields.map(([, value]) => value).join()}`),
      tenant,
    );
    expect(failed).toBe(1);
    expect(await errorsOf(id, tenant)).toMatchObject([{ line: 2, column: 'custom_fields', code }]);
  });
});
