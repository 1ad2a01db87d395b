import { expect, test } from '@jest/globals';
import { spawnNode, startPostgres, startRedis } from '../support/processes.ts';
import { testHashKey, testSecretKey } from '../support/secrets.ts';
import { freePort } from '../support/servers/child.ts';
import { hasRedis } from '../support/servers/redis.ts';
import { waitFor } from '../support/wait-for.ts';
import { finalStage, procfile } from './files.ts';

const limitMs = 180_000;
const patienceMs = 60_000;
const stopped = { code: 0, signal: null };
const phone = '16505551234';
const script = (name: string) => procfile[name]!.replace(/^node /, '');

/** Environments of a production installation whose provider is the sandbox. */
async function environments() {
  const redis = (await hasRedis()) ? await startRedis() : undefined;
  if (!redis) console.warn('No redis-server found: the deployed processes run on the PostgreSQL backend.');
  const [webPort, sandboxPort] = [await freePort(), await freePort()];
  const app: Record<string, string> = {
    NODE_ENV: 'production',
    DATABASE_URL: (await startPostgres()).url(),
    ...(redis && { QUEUE_URL: redis.url() }),
    SECRET_KEY: testSecretKey,
    HASH_KEY: testHashKey,
    PORT: String(webPort),
    MESSAGING_APP_URL: `http://127.0.0.1:${sandboxPort}`,
    MESSAGING_APP_SECRET: 'both sides know it',
    MESSAGING_APP_VERIFY_TOKEN: 'verify',
  };
  const sandbox = {
    SANDBOX_PORT: String(sandboxPort),
    WEBHOOK_URL: `http://127.0.0.1:${webPort}/v1/providers/messaging-app/webhook`,
    APP_SECRET: app.MESSAGING_APP_SECRET!,
  };
  return { app, sandbox, base: `http://127.0.0.1:${webPort}`, sandboxUrl: app.MESSAGING_APP_URL! };
}

type Env = Record<string, string>;
/** What `node …` printed. */
async function run(line: string, env: Env): Promise<string> {
  const child = await spawnNode(line, env, '');
  const exit = await child.exited;
  expect({ line, ...exit, output: child.output() }).toEqual({ line, ...stopped, output: expect.any(String) });
  return child.output().trim();
}

/** The image's own health check, run where it would run. */
async function health(env: Env): Promise<number | null> {
  const check = finalStage.find(({ name }) => name === 'HEALTHCHECK')!.rest;
  const [, flag, source] = JSON.parse(check.slice(check.indexOf('['))) as string[];
  const child = await spawnNode([flag!, source!], env, '');
  return (await child.exited).code;
}

async function workersOn(app: Env) {
  const ports = [await freePort(), await freePort()];
  const start = (port: number) => spawnNode(script('worker'), { ...app, HEALTH_PORT: String(port) });
  return { ports, processes: await Promise.all(ports.map(start)) };
}

test(
  'release, web and two workers as the Procfile has them: a message goes through, a stop in the middle loses nothing',
  async () => {
    const { app, sandbox, base, sandboxUrl } = await environments();
    expect(await run(script('release'), app)).toMatch(/^applied .*The database is up to date$/s);
    const organizationId = await run('cli/main.ts organization create Harbour', app);
    // Standard error, which says what the key may do, is in the output too.
    const [key] = /kk_\w+/.exec(await run(`cli/main.ts key create ${organizationId}`, app))!;
    await spawnNode('sandbox/main.ts', sandbox);
    const web = await spawnNode(script('web'), app);
    const { ports, processes } = await workersOn(app);
    expect(await health(app)).toBe(0);
    for (const port of ports) {
      expect(await health({ HEALTH_PORT: String(port) })).toBe(0);
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    }

    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const post = async <Body>(url: string, body: object): Promise<Body> => {
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      expect([url, answer.ok ? 'ok' : await answer.clone().text()]).toEqual([url, 'ok']);
      return (await answer.json()) as Body;
    };
    const statuses = async (): Promise<Record<string, string>> => {
      const answer = await fetch(`${base}/v1/messages?limit=100`, { headers });
      const { items } = (await answer.json()) as { items: { id: string; status: string }[] };
      return Object.fromEntries(items.map(({ id, status }) => [id, status]));
    };
    const numbers = { phone_number_id: '100000000000001', waba_id: '200000000000001', access_token: 'sandbox-access-token' };
    const { id: channelId } = await post<{ id: string }>(`${base}/v1/channels`, numbers);
    const inbound = { phone_number_id: numbers.phone_number_id, message: { text: { body: 'hi' } }, contact: { wa_id: phone } };
    await post(`${sandboxUrl}/_control/inbound`, inbound);
    await waitFor('the contact to write', async () => Object.keys(await statuses()).length === 1, patienceMs);
    const send = async (text: string) => {
      const body = { channel_id: channelId, to: `+${phone}`, type: 'text', text: { body: text } };
      return (await post<{ data: { id: string } }>(`${base}/v1/messages`, body)).data.id;
    };
    const first = await send('first');
    await waitFor('the first message to be read', async () => (await statuses())[first] === 'read', patienceMs);

    const accepted = [first];
    for (let index = 0; index < 20; index += 1) accepted.push(await send(`text ${index}`));
    expect(await web.end('SIGTERM')).toEqual(stopped);
    for (const worker of processes) expect(await worker.end('SIGTERM')).toEqual(stopped);
    expect(await health(app)).toBe(1);
    expect(await run('cli/main.ts jobs check', app)).toBe('clean');

    const again = await spawnNode(script('web'), app);
    const later = await workersOn(app);
    const unread = async () => {
      const now = await statuses();
      return accepted.filter((id) => now[id] !== 'read');
    };
    await waitFor('every message to be read', async () => (await unread()).length === 0, patienceMs);
    const { messages } = (await (await fetch(`${sandboxUrl}/_control/messages`)).json()) as {
      messages: { callback_data: string }[];
    };
    expect(messages.map(({ callback_data }) => callback_data)).toEqual(accepted);
    for (const child of [again, ...later.processes]) expect(await child.end('SIGTERM')).toEqual(stopped);
  },
  limitMs,
);
