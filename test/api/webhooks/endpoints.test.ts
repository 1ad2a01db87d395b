import { describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Tenant, useApp } from '../../support/app.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { paceOf, storedPools } from '../../support/stored/api-jobs.ts';
import { now } from '../../support/stored/times.ts';
import { storedEndpoints } from '../../support/stored/webhooks.ts';

// As production is: no network is open but the public ones.
const app = useApp({ env: { WEBHOOK_ALLOW_HTTP: 'false', WEBHOOK_ALLOW_NETWORKS: '' } });

const good = { url: 'https://example.com/hooks', event_types: ['message.sent'] };
const create = (body: object, key?: string) => app.call('webhooks.endpoints.create', { body, key });
const of = (id: string) => ({ params: { endpointID: id } });
const get = (id: string, key?: string) => app.call('webhooks.endpoints.get', { ...of(id), key });
const patch = (id: string, body: object) => app.call('webhooks.endpoints.update', { ...of(id), body });
const remove = (id: string, key?: string) => app.call('webhooks.endpoints.delete', { ...of(id), key });
const made = async (more: object = {}, key?: string) => (await create({ ...good, ...more }, key)).body;
const rowOf = (id: string) => storedEndpoints.one(app, id);
const headersOf = async (id: string) => JSON.parse(app.web.deps.secrets.open((await rowOf(id)).headers));

describe('create', () => {
  test('answers with the secret, which is sealed in the table', async () => {
    const { status, body } = await create({
      ...good,
      event_types: ['message.sent', 'message.new', 'message.sent'],
      description: ' Ours ',
      headers: { Authorization: 'Bearer very-secret', 'X-Empty': '' },
      rate_limit: 5,
      ordering: 'per_subject',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      url: 'https://example.com/hooks',
      event_types: ['message.sent', 'message.new'],
      description: 'Ours',
      rate_limit: 5,
      ordering: 'per_subject',
      enabled: true,
    });
    expect(Buffer.from(body.secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    const row = await storedEndpoints.one(app, body.id);
    expect(JSON.stringify(row)).not.toMatch(/very-secret/);
    expect(JSON.stringify(row)).not.toContain(body.secret.slice(6));
    expect(JSON.parse(app.web.deps.secrets.open(row.headers))).toEqual({ Authorization: 'Bearer very-secret', 'X-Empty': '' });
    expect(await paceOf(app, `endpoint:${body.id}`)).toEqual({ width: 10, rate: 5 });
  });

  test('the least there is', async () => {
    const { body } = await create(good);
    expect(body).toMatchObject({ description: '', rate_limit: null, ordering: 'best_effort', enabled: true });
    const second = await create(good);
    expect(second.body.secret).not.toBe(body.secret);
  });

  test.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'example.com',
    '//example.com/',
    'https://',
    'https://user:password@example.com/',
    'https://user@example.com/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://10.0.0.1/',
    'https://192.168.1.1/',
    'https://172.16.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://[::1]/',
    'https://[::]/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://[2002:a00:1::]/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://example.com:99999/',
    `https://example.com/${'x'.repeat(2_048)}`,
    '',
    'https://exa mple.com/',
  ])('url %s: 422 naming it', async (url) => {
    const { status, body } = await create({ ...good, url });
    expect([status, body.error.details[0].field]).toEqual([422, 'url']);
  });

  test.each([
    ['none', [], 'event_types'],
    ['an unknown one', ['message.sent', 'message.lost'], 'event_types[1]'],
    ['a wildcard that matches nothing', ['message.*', 'messages.*'], 'event_types[1]'],
    ['a wildcard within a word', ['mess*'], 'event_types[0]'],
    ['a wildcard in front', ['*.updated'], 'event_types[0]'],
    ['a wildcard below a type', ['message.new.*'], 'event_types[0]'],
    ['two stars', ['**'], 'event_types[0]'],
    ['no list', 'message.sent', 'event_types'],
  ])('event types: %s: 422', async (_what, event_types, field) => {
    const { status, body } = await create({ ...good, event_types });
    expect([status, body.error.details[0].field]).toEqual([422, field]);
  });

  test.each([
    'Host',
    'content-type',
    'Content-Length',
    'Transfer-Encoding',
    'connection',
    'User-Agent',
    'webhook-id',
    'Webhook-Signature',
    'not a token',
    'new\nline',
    '',
  ])('header %j: 422', async (name) => {
    const { status, body } = await create({ ...good, headers: { [name]: 'x' } });
    expect([status, body.error.details[0].field.startsWith('headers')]).toEqual([422, true]);
  });

  test('a header twice, in two spellings: 422', async () => {
    const { status, body } = await create({ ...good, headers: { 'X-Own': 'a', 'x-own': 'b' } });
    expect([status, body.error.details[0].field]).toEqual([422, 'headers.x-own']);
  });

  test.each([['*'], ['message.*'], ['commerce.*', 'commerce.order.*', 'contact.created', '*']])(
    'wildcards %j are taken, and shown as they were given',
    async (...event_types) => {
      const { status, body } = await create({ ...good, event_types });
      expect([status, body.event_types]).toEqual([201, event_types]);
    },
  );

  test.each(['line\r\nX-Other: 1', 'ümlaut', 'x'.repeat(1_025)])('header value %j: 422', async (value) => {
    expect((await create({ ...good, headers: { 'X-Own': value } })).status).toBe(422);
  });

  test.each([
    ['rate_limit', 0],
    ['rate_limit', 1.5],
    ['rate_limit', '5'],
    ['ordering', 'strict'],
    ['secret', 'whsec_mine'],
    ['enabled', false],
  ])('%s = %j: 422 naming it', async (field, value) => {
    const { status, body } = await create({ ...good, [field]: value });
    expect([status, body.error.details[0].field]).toEqual([422, field]);
  });

  test('an organization has 50 at most, also when asked at once', async () => {
    const { key, organizationId } = await app.organization();
    await storedEndpoints.addMany(app, 48, () => ({
      organization_id: organizationId,
      url: 'https://example.com/',
      event_types: ['message.sent'],
      ordering: 'best_effort',
      secret: 'x',
    }));
    const replies = await Promise.all(Array.from({ length: 6 }, () => create(good, key)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422, 422]);
    expect(replies.find(({ status }) => status === 422)!.body.error.code).toBe('limit_reached');
    expect((await create(good)).status).toBe(201);
    // A deleted one is not counted.
    const full = replies.find(({ status }) => status === 201)!;
    expect((await remove(full.body.id, key)).status).toBe(204);
    expect((await create(good, key)).status).toBe(201);
    expect((await create(good, key)).body.error.code).toBe('limit_reached');
  });
});

describe('list and get', () => {
  let tenant: Tenant;
  const list = (query: Record<string, string | number | boolean> = {}) =>
    app.call('webhooks.endpoints.list', { key: tenant.key, query });

  test('show all but secrets and the values of headers, newest first, in pages', async () => {
    tenant = await app.organization();
    const ids: string[] = [];
    for (const description of ['one', 'two', 'three']) {
      const headers = { 'X-Own': `hidden ${description}`, Authorization: 'Bearer hidden' };
      ids.unshift((await made({ description, headers }, tenant.key)).id);
    }
    const { body, text } = await list({ limit: 2, include_total: true });
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    expect(body.meta).toMatchObject({ has_more: true, total: 3 });
    const next = await list({ limit: 2, cursor: body.meta.next_cursor });
    expect(next.body.items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2));
    expect(text).not.toMatch(/hidden|whsec_/);
    const one = await get(ids[0]!, tenant.key);
    expect(one.body).toEqual(body.items[0]);
    expect(one.body).toMatchObject({
      description: 'three',
      header_names: ['X-Own', 'Authorization'],
      enabled: true,
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      overlap_ends_at: null,
    });
  });

  test.each(['x', uuidv7()])('%s: 404', async (id) => {
    expect((await get(id)).body.error.message).toBe('Webhook endpoint not found');
  });

  test('what the list says is what create said, without the secret', async () => {
    const { secret: _, ...shown } = await made({ rate_limit: 3, event_types: ['contact.*'] });
    expect((await get(shown.id)).body).toEqual(shown);
  });
});

describe('patch', () => {
  test('changes what is given and nothing else', async () => {
    const before = await made({ description: 'old', headers: { 'X-Own': 'a' }, rate_limit: 5 });
    const { status, body } = await patch(before.id, { description: 'new' });
    const { secret: _, ...unchanged } = before;
    expect([status, body]).toEqual([200, { ...unchanged, description: 'new', updated_at: body.updated_at }]);
    expect(body.updated_at > before.updated_at).toBe(true);
    expect((await get(before.id)).body).toEqual(body);
  });

  test('everything at once; the pool has the new rate in the same moment', async () => {
    const { id } = await made();
    const changed = {
      url: 'https://example.org/other',
      event_types: ['contact.*', 'message.new'],
      description: 'other',
      rate_limit: 7,
      ordering: 'per_subject',
    };
    expect((await patch(id, { ...changed, headers: { 'X-New': 'n' } })).body).toMatchObject({
      ...changed,
      header_names: ['X-New'],
    });
    expect(await rowOf(id)).toMatchObject({ event_types: changed.event_types, event_prefixes: ['contact.'] });
    const rate = async () => (await storedPools.one(app, `endpoint:${id}`)).rate;
    expect(await rate()).toBe(7);
    await patch(id, { rate_limit: null, event_types: ['message.new'] });
    expect([await rate(), (await rowOf(id)).event_prefixes]).toEqual([null, null]);
  });

  test('another url has no failures of the one before; the same one keeps them', async () => {
    const { id } = await made();
    await storedEndpoints.change(app, id, { failing_since: now() });
    expect((await patch(id, { url: good.url })).body.failing_since).not.toBeNull();
    expect((await patch(id, { url: 'https://example.com/others' })).body.failing_since).toBeNull();
  });

  test('headers are merged by name, whatever its case; null removes one, null in place of all removes all', async () => {
    const { id } = await made({ headers: { 'X-One': '1', 'X-Two': '2', 'X-Three': '3' } });
    await patch(id, { headers: { 'x-one': 'uno', 'X-Two': null, 'X-Four': '4', 'X-Unknown': null } });
    expect(await headersOf(id)).toEqual({ 'X-Three': '3', 'x-one': 'uno', 'X-Four': '4' });
    expect((await patch(id, { headers: null })).body.header_names).toEqual([]);
    expect((await rowOf(id)).headers).toBeNull();
    await patch(id, { headers: { 'X-Again': 'a' } });
    expect((await patch(id, { headers: { 'x-again': null } })).body.header_names).toEqual([]);
  });

  test('more than 20 headers together: 422, and nothing is changed', async () => {
    const headers = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`X-${from + index}`, 'x']));
    const { id } = await made({ headers: headers(0, 15) });
    const { status, body } = await patch(id, { headers: headers(10, 21), description: 'no' });
    expect([status, body.error.details[0].field]).toEqual([422, 'headers']);
    expect((await get(id)).body).toMatchObject({ description: '', header_names: Object.keys(headers(0, 15)) });
    expect((await patch(id, { headers: headers(10, 20) })).status).toBe(200);
  });

  test.each([
    ['url', { url: 'https://10.0.0.1/' }],
    ['url', { url: 'http://example.com/' }],
    ['url', { url: null }],
    ['event_types', { event_types: [] }],
    ['event_types[0]', { event_types: ['nothing.*'] }],
    ['description', { description: 'x'.repeat(501) }],
    ['description', { description: null }],
    ['headers.Host', { headers: { Host: 'x' } }],
    ['headers.webhook-id', { headers: { 'webhook-id': null } }],
    ['headers.X-Own', { headers: { 'X-Own': 'ü' } }],
    ['headers.X-Own', { headers: { 'X-Own': 1 } }],
    ['rate_limit', { rate_limit: 0 }],
    ['rate_limit', { rate_limit: 1001 }],
    ['ordering', { ordering: null }],
    ['enabled', { enabled: false }],
    ['secret', { secret: 'whsec_mine' }],
    ['body', {}],
  ])('%s: 422 for %j', async (field, body) => {
    const { id } = await made();
    const before = await rowOf(id);
    const reply = await patch(id, body);
    expect(reply.status).toBe(422);
    if (field !== 'body') expect(reply.body.error.details[0].field).toBe(field);
    expect(await rowOf(id)).toEqual(before);
  });

  test('the audit log names what was changed, and no value', async () => {
    const { id } = await made();
    await patch(id, { url: 'https://example.org/secret-path', headers: { 'X-Own': 'very-secret' } });
    const of = { action: 'webhooks.endpoints.update', subject: `webhook_endpoint:${id}` };
    expect(await listedActs(app, of, { columns: ['details'] })).toEqual([{ details: { changed: ['url', 'headers'] } }]);
  });
});

describe('delete', () => {
  test('erases its secrets and headers at once, and every call of it is a 404', async () => {
    const { id } = await made({ headers: { 'X-Own': 'a' }, event_types: ['*'] });
    await app.call('webhooks.endpoints.rotate-secret', of(id));
    expect((await remove(id)).status).toBe(204);
    expect(await rowOf(id)).toMatchObject({
      event_types: [],
      event_prefixes: null,
      headers: null,
      secret: '',
      previous_secret: null,
      previous_secret_until: null,
      enabled: false,
    });
    for (const operation of ['get', 'update', 'delete', 'disable', 'enable', 'rotate-secret', 'reveal-secret', 'test']) {
      const body = operation === 'update' ? { description: 'x' } : undefined;
      const reply = await app.call(`webhooks.endpoints.${operation}`, { ...of(id), body });
      expect([operation, reply.status]).toEqual([operation, 404]);
    }
    const { body } = await app.call('webhooks.endpoints.list', { query: { limit: 100 } });
    expect(body.items.map((one: { id: string }) => one.id)).not.toContain(id);
  });

  test('another organization’s: 404, and it is still there', async () => {
    const { id } = await made();
    const { key } = await app.organization();
    expect((await remove(id, key)).status).toBe(404);
    expect((await get(id)).status).toBe(200);
  });
});
