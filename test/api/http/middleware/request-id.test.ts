import { expect, test } from '@jest/globals';
import { isUuid } from '../../../../src/platform/ids.ts';
import { useApp } from '../../../support/app.ts';

const app = useApp();
const ask = (id?: string, path = '/v1/messages') =>
  app.raw('GET', path, { headers: id === undefined ? {} : { 'x-request-id': id } });

test.each(['abc', 'a'.repeat(128), 'Root=1-5759e988;x'.replace(';', '/'), 'e4f3:9@x+y=z.w_v-u'])('%s is kept', async (id) => {
  expect((await ask(id)).headers.get('x-request-id')).toBe(id);
});

test.each([undefined, '', 'a'.repeat(129), 'a b', 'a;b', '<script>', 'ü'])('%j is replaced by a new one', async (id) => {
  const since = app.log.lines.length;
  const made = (await ask(id)).headers.get('x-request-id')!;
  expect(isUuid(made)).toBe(true);
  expect(app.requestLines(since).map(({ request_id }) => request_id)).toEqual([made]);
});

test('every reply has one, errors in the body too', async () => {
  const missing = await ask('mine', '/v1/nothing');
  expect([missing.headers.get('x-request-id'), missing.body.error.request_id]).toEqual(['mine', 'mine']);
  const unauthorized = await app.raw('GET', '/v1/messages', { key: null, headers: { 'x-request-id': 'mine' } });
  expect(unauthorized.body.error.request_id).toBe('mine');
});

test('the log has one wide line a request, and neither query nor key', async () => {
  const since = app.log.lines.length;
  await ask('the-one', '/v1/messages?limit=7');
  const [line, ...more] = app.requestLines(since);
  expect(more).toEqual([]);
  expect(line).toMatchObject({
    request_id: 'the-one',
    method: 'GET',
    operation: 'messages.list',
    status: 200,
    organization_id: app.tenant.organizationId,
    key_id: app.tenant.keyId,
    address: expect.stringContaining('127.0.0.1'),
  });
  expect(JSON.stringify(line)).not.toMatch(/limit|kk_/);
});

test('the framework does not tell its name, and a reply is not sniffed', async () => {
  const { headers } = await ask();
  expect(headers.get('x-powered-by')).toBeNull();
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});
