import { expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { storedContacts } from '../../support/stored/contacts.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });

const exported = async ({ key }: Tenant) => app.call('contacts.export', { key });
const create = ({ key }: Tenant, body: object) => app.call('contacts.create', { key, body });
const created = async (tenant: Tenant, body: object) => expect((await create(tenant, body)).status).toBe(201);
const stored = ({ organizationId }: Tenant): Promise<Body[]> =>
  app.rows(
    `select k.*, (select array_agg((type, source, value)::text order by type, value) from contact_identities i where i.contact_id = k.id) as identities,
            array(select t.name from contact_tags a join tags t on t.id = a.tag_id where a.contact_id = k.id order by 1) as tags
       from contacts k where organization_id = $1 order by k.id`,
    [organizationId],
  );

async function imported(tenant: Tenant, file: string): Promise<Body> {
  const { body } = await app.call('contacts.import', { key: tenant.key, body: file });
  return waitFor('the import to end', async () => {
    const { data } = (await app.call('contacts.imports.get', { key: tenant.key, params: { importID: body.data.id } })).body;
    return ['succeeded', 'failed'].includes(data.status) && data;
  });
}

test('a file with a line for each contact, its custom fields and tags', async () => {
  const tenant = await app.organization();
  expect((await exported(tenant)).text).toBe(
    'id,phone_number,name,email,external_source,external_id,tags,created_at,updated_at\r\n',
  );
  const { data } = (await create(tenant, { phone_number: '+16505551001', name: '=cmd|x', custom_fields: { tier: 'gold' } })).body;
  const { data: other } = (await create(tenant, { email: 'ada@example.com', name: 'Ada, "A"', custom_fields: { since: 2024 } }))
    .body;
  const { status, headers, text } = await exported(tenant);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="contacts-\d{4}-\d\d-\d\d\.csv"$/);
  expect(text.split('\r\n')).toEqual([
    'id,phone_number,name,email,external_source,external_id,tags,custom_fields.since,custom_fields.tier,created_at,updated_at',
    `${data.id},'+16505551001,'=cmd|x,,,,,,gold,${data.created_at},${data.updated_at}`,
    `${other.id},,"Ada, ""A""",ada@example.com,,,,2024,,${other.created_at},${other.updated_at}`,
    '',
  ]);
  const acts = await listedActs(app, { action: 'contacts.export' }, { key: tenant.key, columns: ['subject'] });
  expect(acts).toEqual(Array(2).fill({ subject: `organization:${tenant.organizationId}` }));
});

test('with raw=true the cells are as they are, and without it they are harmless', async () => {
  const tenant = await app.organization();
  await created(tenant, { phone_number: '+6281234567890', name: '=cmd|x', custom_fields: { '@note': '-1' } });
  const get = async (query: object) =>
    (await app.raw('GET', `/v1/contacts/export?${new URLSearchParams({ ...query })}`, tenant)).text;
  const cellsOf = (text: string) => text.split('\r\n')[1]!.split(',').slice(1, 3);
  expect(cellsOf(await get({ raw: 'true' }))).toEqual(['+6281234567890', '=cmd|x']);
  expect(await get({ raw: 'true' })).not.toContain("'");
  for (const query of [{}, { raw: 'false' }]) expect(cellsOf(await get(query))).toEqual(["'+6281234567890", "'=cmd|x"]);
  expect((await app.raw('GET', '/v1/contacts/export?raw=maybe')).status).toBe(422);
});

test('those of a search and filters, in the order asked for', async () => {
  const tenant = await app.organization();
  for (const [name, tier] of [
    ['Ada Byron', 'gold'],
    ['Áda Lovelace', 'gold'],
    ['Ada King', 'silver'],
    ['Grace', 'gold'],
  ])
    await created(tenant, { external_source: 'shop', external_id: name, name, custom_fields: { tier, [`only of ${name}`]: 1 } });
  const filters = JSON.stringify([{ field: 'custom_fields.tier', value: 'gold' }]);
  const { text } = await app.call('contacts.export', { key: tenant.key, query: { search: 'ada', filters, sort: '-name' } });
  const [header, ...lines] = text.trimEnd().split('\r\n');
  expect(lines.map((line) => line.split(',')[2])).toEqual(['Áda Lovelace', 'Ada Byron']);
  expect(header).toContain('custom_fields.only of Ada Byron');
  expect(header).not.toContain('custom_fields.only of Ada King');
  for (const [query, status] of [
    [{ filters: '{' }, 400],
    [{ filters: '[{"field":"shoe","value":1}]' }, 422],
    [{ sort: 'email' }, 422],
    [{ limit: 1 }, 422],
  ] as const)
    expect((await app.call('contacts.export', { key: tenant.key, query })).status).toBe(status);
});

test('an import of it changes nothing, whatever the contacts are called', async () => {
  const tenant = await app.organization();
  const names = [
    '=1+1',
    'a;=1+1',
    "a;'=1",
    'b\n@x;"+1',
    ';\t=2',
    'r\r-1',
    "'=1",
    "''-",
    '+49',
    '@x',
    '\ttab',
    "'",
    '"',
    'a\nb\r\nc\rd',
    ' ;,',
    '👩‍👩‍👧 שלום',
    '\\;',
    'ＡＢ',
    '\ufeffb',
  ];
  const values = [
    '17',
    17,
    -5,
    1.5,
    '-5',
    '',
    ' ',
    'true',
    true,
    'null',
    '"q"',
    '[1]',
    [1, { a: null }],
    { b: '=x' },
    '007',
    '1e400',
    '=',
  ];
  for (const [index, name] of names.entries())
    await created(tenant, {
      phone_number: `+1650555${2000 + index}`,
      name,
      external_source: '=shop',
      external_id: `-${index}`,
      email: `person.${index}@example.com`,
      // A name with line breaks is fine, a field's is not.
      custom_fields: Object.fromEntries(values.map((value, at) => [`${name.replace(/\p{Cc}/gu, '.')} ${at}`, value])),
    });
  await imported(tenant, 'phone_number,tags\n+16505552000,"a\\;b;c\\\\;=d"\n+16505552001,=d\n');
  const before = await stored(tenant);
  expect(before[0].tags).toEqual(['=d', 'a;b', 'c\\']);
  const { text } = await exported(tenant);
  expect(await imported(tenant, text)).toMatchObject({
    status: 'succeeded',
    unchanged: names.length,
    created: 0,
    updated: 0,
    failed: 0,
  });
  expect(await stored(tenant)).toEqual(before);

  const copy = await app.organization();
  expect(await imported(copy, text)).toMatchObject({ created: names.length, failed: 0 });
  const own = (rows: Body[]) =>
    rows.map(({ name, custom_fields, tags, identities, search }) => ({ name, custom_fields, tags, identities, search }));
  expect(own(await stored(copy))).toEqual(own(before));
});

test('more contacts than a page are all there once, and only the organization’s own', async () => {
  const tenant = await app.organization();
  await storedContacts.addMany(app, 2_500, (n) => ({
    organization_id: tenant.organizationId,
    name: `P${n}`,
    phone_number: '',
    created_at: new Date(Date.UTC(2026, 0, 1) + Math.floor(n / 3) * 1_000).toISOString(),
  }));
  await create(app.tenant, { phone_number: '+16505559001', name: 'Foreign' });
  const { text } = await exported(tenant);
  const names = text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(',')[2]!);
  expect([names.length, new Set(names).size, text.includes('Foreign')]).toEqual([2500, 2500, false]);
});

test('more custom fields than a table can have columns are refused', async () => {
  const tenant = await app.organization();
  await storedContacts.addMany(app, 501, (n) => ({ organization_id: tenant.organizationId, custom_fields: { [`key ${n}`]: 1 } }));
  const { status, body } = await exported(tenant);
  expect([status, body.error.code]).toEqual([422, 'limit_reached']);
});

test('a client that goes away is read no further for', async () => {
  const tenant = await app.organization();
  await storedContacts.addMany(app, 3_000, () => ({
    organization_id: tenant.organizationId,
    custom_fields: { a: 'x'.repeat(5_000) },
  }));
  const since = app.log.lines.length;
  const client = new AbortController();
  const reply = await fetch(`${app.base}/v1/contacts/export`, { headers: { 'x-api-key': tenant.key }, signal: client.signal });
  await reply.body!.getReader().read();
  client.abort();
  const [line] = await waitFor('its line', () => {
    const found = app.requestLines(since);
    return found.length > 0 && found;
  });
  expect(line).toMatchObject({ status: 499 });
});

test('a custom field of the last contact, too, has its column', async () => {
  const tenant = await app.organization();
  await storedContacts.addMany(app, 4_000, (n) => ({
    organization_id: tenant.organizationId,
    name: `P${n}`,
    phone_number: '',
    custom_fields: n === 4_000 ? { last: 1, a: 2 } : n % 2 === 0 ? {} : { a: 1 },
  }));
  for (const filters of [
    [],
    [{ field: 'name', operator: 'neq', value: 'P' }],
    [{ field: 'name', operator: 'starts_with', value: 'P' }],
  ])
    for (const sort of ['created_at', '-created_at']) {
      const query = new URLSearchParams({ filters: JSON.stringify(filters), sort });
      const { text } = await app.raw('GET', `/v1/contacts/export?${query}`, tenant);
      const [header, ...rows] = text.split('\r\n');
      expect(header).toContain('tags,custom_fields.a,custom_fields.last,created_at');
      expect(rows).toHaveLength(4_001);
      expect(rows.filter((row) => row.includes(',2,1,'))).toHaveLength(1);
    }
});

test('pages that no index answers are read in places of the organization, one after the other, and hold none in between', async () => {
  const tenant = await app.organization();
  await storedContacts.addMany(app, 3_500, (n) => ({
    organization_id: tenant.organizationId,
    name: `P${n}`,
    phone_number: '',
    custom_fields: { a: 'x'.repeat(5_000) },
  }));
  const { reads } = app.web.deps;
  const { dear } = reads;
  let [begun, now] = [0, 0];
  reads.dear = async (organizationId, work) => {
    expect(organizationId).toBe(tenant.organizationId);
    begun += 1;
    now += 1;
    return dear(organizationId, work).finally(() => {
      now -= 1;
    });
  };
  const read = async (filters: object[]) => {
    begun = 0;
    const url = `${app.base}/v1/contacts/export?filters=${encodeURIComponent(JSON.stringify(filters))}`;
    const reply = await fetch(url, { headers: { 'x-api-key': tenant.key } });
    await waitFor('no place to be held', () => now === 0);
    const rows = (await reply.text()).split('\r\n').slice(1, -1);
    return [rows.length, begun];
  };
  try {
    // Seven pages; the custom fields are looked for in turns, without a place.
    expect(await read([{ field: 'name', operator: 'neq', value: 'P' }])).toEqual([3500, 7]);
    expect(await read([])).toEqual([3500, 0]);
    // What an index finds is looked through at once.
    expect(await read([{ field: 'name', operator: 'eq', value: 'P7' }])).toEqual([1, 1]);
  } finally {
    reads.dear = dear;
  }
});
