import { describe, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';

// As production is: no network is open but the public ones.
const app = useApp({ env: { WEBHOOK_ALLOW_HTTP: 'false', WEBHOOK_ALLOW_NETWORKS: '' } });

const good = { url: 'https://example.com/hooks', event_types: ['message.sent'] };
const create = (body: object, key?: string) => app.call('webhooks.endpoints.create', { body, key });

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
    const row = await app.one('select * from webhook_endpoints where id = $1', [body.id]);
    expect(JSON.stringify(row)).not.toMatch(/very-secret/);
    expect(JSON.stringify(row)).not.toContain(body.secret.slice(6));
    expect(JSON.parse(app.web.deps.secrets.open(row.headers))).toEqual({ Authorization: 'Bearer very-secret', 'X-Empty': '' });
    expect(await app.one('select width, rate from pools where id = $1', [`endpoint:${body.id}`])).toEqual({ width: 10, rate: 5 });
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
    ['a wildcard', ['*'], 'event_types[0]'],
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
    await app.rows(
      `insert into webhook_endpoints (id, organization_id, url, event_types, ordering, secret) select uuidv7(), $1, 'https://example.com/', '{message.sent}', 'best_effort', 'x' from generate_series(1, 48)`,
      [organizationId],
    );
    const replies = await Promise.all(Array.from({ length: 6 }, () => create(good, key)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422, 422]);
    expect(replies.find(({ status }) => status === 422)!.body.error.code).toBe('limit_reached');
    expect((await create(good)).status).toBe(201);
  });
});
