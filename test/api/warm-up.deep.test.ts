import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { frequent } from '../../api/frequent.ts';
import { endpoints } from '../../api/index.ts';
import { createTestDatabase } from '../support/database.ts';
import { spawnNode } from '../support/processes.ts';
import { testHashKey, testSecretKey } from '../support/secrets.ts';
import { freePort } from '../support/servers/child.ts';

let url: string;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ url, drop } = await createTestDatabase());
});
afterAll(() => drop());

const environment = async () => ({
  DATABASE_URL: url,
  SECRET_KEY: testSecretKey,
  HASH_KEY: testHashKey,
  HOST: '127.0.0.1',
  PORT: String(await freePort()),
});

test('what is loaded at the start is among the endpoints, and shares no path with what is loaded after', () => {
  expect(endpoints).toEqual(expect.arrayContaining(frequent));
  const others = endpoints.filter((endpoint) => !frequent.includes(endpoint));
  const shape = ({ path }: { path: string }) => path.replace(/:\w+/g, ':');
  const early = new Set(frequent.map(shape));
  expect(others.map(shape).filter((path) => early.has(path))).toEqual([]);
});

test('a request for an endpoint that is not loaded yet waits for it', async () => {
  const env = await environment();
  const web = await spawnNode('api/main.ts', env);
  const statuses = await Promise.all(
    ['/v1/contacts', '/v1/settings/developer/webhooks/endpoints', '/v1/members', '/v1/messages', '/v1/nothing'].map(
      async (path) => (await fetch(`http://127.0.0.1:${env.PORT}${path}`)).status,
    ),
  );
  expect(statuses).toEqual([401, 401, 401, 401, 404]);
  await web.end('SIGTERM');
});

test('OPTIONS is answered alike by both parts', async () => {
  const env = await environment();
  const web = await spawnNode('api/main.ts', env);
  const replies = await Promise.all(
    ['/v1/contacts', '/v1/messages', '/v1/nothing'].map(async (path) => {
      const reply = await fetch(`http://127.0.0.1:${env.PORT}${path}`, { method: 'OPTIONS' });
      return [reply.status, reply.headers.get('content-type')];
    }),
  );
  expect(new Set(replies.map(([status]) => status))).toEqual(new Set([404]));
  expect(new Set(replies.map(([, type]) => type))).toEqual(new Set([expect.stringContaining('json')]));
  await web.end('SIGTERM');
});

test('a path that cannot be decoded gets the error body of its endpoint, loaded or not', async () => {
  const env = await environment();
  const web = await spawnNode('api/main.ts', env);
  const namesAt = async (path: string) => {
    const reply = await fetch(`http://127.0.0.1:${env.PORT}${path}`);
    expect(reply.status).toBe(400);
    return Object.keys((await reply.json()) as object);
  };
  expect(await namesAt('/v1/messages/%zz')).toEqual(['title', 'status', 'detail']);
  expect(await namesAt('/v1/contacts/%zz')).toEqual(['error']);
  await web.end('SIGTERM');
});

test('an endpoint that cannot be loaded ends the process, and the log names the fault', async () => {
  const web = await spawnNode(
    ['--import', './test/support/children/broken-module.ts', 'api/main.ts'],
    { ...(await environment()), BROKEN_MODULE: '/api/webhooks/stats.ts' },
    'listening',
  );
  expect((await web.exited).code).toBe(1);
  expect(web.output()).toContain('not all endpoints could be loaded');
  expect(web.output()).toContain('This module is broken');
});
