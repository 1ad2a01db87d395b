import { describe, expect, test } from '@jest/globals';
import { type App, useApp } from '../../support/app.ts';
import { storedActs } from '../../support/stored/accounts.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { ahead } from '../../support/stored/times.ts';
import { waitFor } from '../../support/wait-for.ts';

const password = 'operator-password';
const app = useApp({ env: { OPERATOR_PASSWORD: password, TRUST_PROXY: '1' } });
const closed = useApp();

const credentials = (user = 'operator', word = password) => `Basic ${Buffer.from(`${user}:${word}`).toString('base64')}`;
const ask = (of: App, method: string, path: string, headers: Record<string, string> = {}) =>
  of.raw(method, `/ops/queues${path}`, { key: null, headers: { authorization: credentials(), ...headers } });
const sameOrigin = { 'sec-fetch-site': 'same-origin' };
const audit = () =>
  storedActs.all(
    app,
    {},
    { columns: ['organization_id', 'actor', 'action', 'subject', 'address', 'request_id'], orderBy: 'created_at' },
  );
const open = () => waitFor('the board', async () => (await ask(app, 'GET', '/api/queues')).status === 200);

test('without a password there is no board', async () => {
  for (const path of ['', '/', '/api/queues']) {
    const { status, body } = await ask(closed, 'GET', path);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
  }
});

test.each([
  ['no credentials', {}],
  ['a wrong password', { authorization: credentials('operator', 'operator-passwore') }],
  ['a wrong user', { authorization: credentials('root') }],
  ['nothing after the scheme', { authorization: 'Basic' }],
  ['a bearer token', { authorization: `Bearer ${password}` }],
  ['an API key', { 'x-api-key': 'kk_x' }],
])('%s: 401 that asks for them', async (_what, headers) => {
  for (const [method, path] of [
    ['GET', '/api/queues'],
    ['GET', '/'],
    ['PUT', '/api/queues/messages/pause'],
  ] as const) {
    const reply = await app.raw(method, `/ops/queues${path}`, { key: null, headers: headers as Record<string, string> });
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="Kanal operations", charset="UTF-8"',
    ]);
  }
});

test('whoever has guessed sixty times from an address is not told by the right one either, for a quarter of an hour', async () => {
  const guess = (word: string, address: string) =>
    app.raw('GET', '/ops/queues/', {
      key: null,
      headers: { authorization: credentials('operator', word), 'x-forwarded-for': address },
    });
  const replies = await Promise.all(Array.from({ length: 60 }, (_, n) => guess(`guess-number-${n}`, '203.0.113.7')));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401]));
  for (const word of ['guess-number-61', password]) {
    const { status, headers } = await guess(word, '203.0.113.7');
    expect([status, Number(headers.get('retry-after')) > 800]).toEqual([429, true]);
  }
  expect((await guess(password, '203.0.113.8')).status).not.toBe(429);
  await app.rows(`update login_limits set expire = expire - 901000 where key like 'operator:%'`);
  expect((await guess(password, '203.0.113.7')).status).not.toBe(429);
});

test('with them it shows all queues', async () => {
  await open();
  const { body } = await ask(app, 'GET', '/api/queues');
  expect(body.queues.map(({ name }: { name: string }) => name).sort()).toEqual([
    'automations',
    'bulk-messages',
    'default',
    'messages',
    'statuses',
    'webhook-retries',
    'webhooks',
  ]);
  const page = await ask(app, 'GET', '/');
  expect(page.status).toBe(200);
  expect(page.text).toContain('Kanal queues');
  expect(page.text).not.toMatch(/(href|src)="(https?:)?\/\//);
});

describe('what an operator may change', () => {
  test.each([
    ['/api/queues/messages/pause', 'queue.pause-or-resume'],
    ['/api/queues/messages/resume', 'queue.pause-or-resume'],
    ['/api/queues/pause', 'queues.pause-or-resume'],
    ['/api/queues/resume', 'queues.pause-or-resume'],
    ['/api/queues/messages/retry/failed', 'queue.retry-failed'],
  ])('%s, with a row in the audit log', async (path, action) => {
    await open();
    const before = (await audit()).length;
    const { status, headers } = await ask(app, 'PUT', path, sameOrigin);
    expect(status).toBeLessThan(300);
    const rows = await audit();
    expect(rows.length).toBe(before + 1);
    expect(rows.at(-1)).toMatchObject({
      organization_id: null,
      actor: 'operator:operator',
      action,
      subject: path,
      request_id: headers.get('x-request-id'),
    });
    expect(rows.at(-1).address).toContain('127.0.0.1');
  });

  test('promote brings the row forward, retry reaches the job', async () => {
    await open();
    const channel = await app.connect();
    const { phone } = await app.conversation(channel);
    const { id } = (await app.text(channel, phone)).body.data;
    const job = await waitFor('the job in the queue', async () => {
      const row = await app.jobOf(id);
      return row.state === 'queued' && row;
    });
    await storedJobs.change(app, job.id, { run_at: ahead(1, 'hour') });
    await ask(app, 'PUT', `/api/queues/messages/${job.id}.${job.run}/promote`, sameOrigin);
    expect(Date.parse((await storedJobs.one(app, job.id)).run_at)).toBeLessThanOrEqual(Date.now());
    await ask(app, 'PUT', `/api/queues/messages/${job.id}.${job.run}/retry/failed`, sameOrigin);
    expect((await audit()).slice(-2).map(({ action }) => action)).toEqual(['queue.job.promote', 'queue.job.retry']);
  });

  test('promote all brings forward what is in the queue; what is parked keeps its time', async () => {
    await open();
    const channel = await app.connect();
    const { phone } = await app.conversation(channel);
    const { id } = (await app.text(channel, phone, { send_at: new Date(Date.now() + 3_600_000).toISOString() })).body.data;
    const soon = (await app.text(channel, phone)).body.data;
    await storedJobs.change(app, { subject_id: soon.id }, { run_at: ahead(5, 'second') });
    await ask(app, 'PUT', '/api/queues/messages/promote', sameOrigin);
    const isLate = async (subject: string) => Date.parse((await app.jobOf(subject)).run_at) <= Date.now();
    expect(await isLate(soon.id)).toBe(true);
    expect(await isLate(id)).toBe(false);
  });

  test.each([
    ['POST', '/api/queues/messages/add'],
    ['PUT', '/api/queues/messages/empty'],
    ['PUT', '/api/queues/messages/clean/failed'],
    ['PUT', '/api/queues/messages/clean/completed'],
    ['PUT', '/api/queues/messages/obliterate'],
    ['PUT', '/api/queues/messages/1/clean'],
    ['PUT', '/api/queues/messages/1/update-data'],
    ['PATCH', '/api/queues/messages/1/update-data'],
    ['PUT', '/api/queues/messages/concurrency'],
    ['DELETE', '/api/queues/messages'],
    ['PUT', '/api/queues/messages/obliterate/../pause'.replace('/../', '%2f..%2f')],
    ['OPTIONS', '/api/queues/messages/pause'],
  ])('not %s %s: 403', async (method, path) => {
    await open();
    const before = await audit();
    const { status, body } = await ask(app, method, path, sameOrigin);
    expect([status, body.error]).toEqual([403, 'Not done']);
    expect(body.message).toMatch(/retry, promote, pause and resume|this page only/);
    expect(await audit()).toEqual(before);
  });

  test.each([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling', { 'sec-fetch-site': 'same-site' }],
    ['typed in', { 'sec-fetch-site': 'none' }],
    ['with a foreign origin', { origin: 'https://evil.example' }],
    ['with an origin that is none', { origin: 'null' }],
    ['with neither', {}],
  ])('%s: 403', async (_what, headers) => {
    const before = await audit();
    const { status } = await ask(app, 'PUT', '/api/queues/messages/pause', headers as Record<string, string>);
    expect(status).toBe(403);
    expect(await audit()).toEqual(before);
  });

  test.each([
    ['PUT', '/api/queues/%00/promote'],
    ['PUT', '/api/queues/messages/%00/promote'],
    ['PUT', '/api/queues/messages/%00/retry/failed'],
    ['PUT', '/api/queues/%00/pause'],
    ['GET', '/api/queues/messages/%00'],
    ['GET', '/api/queues/messages/%00/logs'],
    ['PUT', '/api/queues/messages/%E0%A4%A/promote'],
  ])('%s %s names nothing: 404, or 400 for no path at all', async (method, path) => {
    await open();
    const before = await audit();
    const { status } = await ask(app, method, path, sameOrigin);
    expect([400, 404]).toContain(status);
    expect(await audit()).toEqual(before);
  });

  test('no reply names what it is made with', async () => {
    await open();
    for (const path of ['', '/api/queues', '/api/queues/messages/1', '/nothing']) {
      const { headers } = await ask(app, 'GET', path);
      expect([path, headers.get('x-powered-by')]).toEqual([path, null]);
    }
  });

  test('a page of this host in the clear is a foreign one where people come by TLS', async () => {
    const { host } = new URL(app.base);
    for (const [origin, headers, isTaken] of [
      [`http://${host}`, { 'x-forwarded-proto': 'https' }, false],
      [`https://${host}`, { 'x-forwarded-proto': 'https' }, true],
      [`https://${host}`, {}, true],
      [`ftp://${host}`, {}, false],
    ] as const) {
      const { status } = await ask(app, 'PUT', '/api/queues/messages/resume', { ...headers, origin } as Record<string, string>);
      expect([origin, status < 300]).toEqual([origin, isTaken]);
      if (!isTaken) expect(status).toBe(403);
    }
  });

  test('an older browser tells its origin', async () => {
    await open();
    const { status } = await ask(app, 'PUT', '/api/queues/messages/resume', { origin: app.base });
    expect(status).toBeLessThan(300);
  });
});
