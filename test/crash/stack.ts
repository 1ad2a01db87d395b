import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { knowJobs } from '../../src/jobs.ts';
import { openDatabase } from '../../src/open-database.ts';
import { createKey } from '../../src/organizations/keys.ts';
import { createOrganization } from '../../src/organizations/organizations.ts';
import { scopes } from '../../src/organizations/scopes.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { OwnRows } from '../../src/platform/database/own.ts';
import { query } from '../../src/platform/database/query.ts';
import { eventTypes } from '../../src/platform/events/catalogue.ts';
import { createBackend } from '../../src/platform/ledger/backends/index.ts';
import { createLog } from '../../src/platform/log.ts';
import { type NodeProcess, spawnNode, startPostgres, startRedis } from '../support/processes.ts';
import { freePort } from '../support/servers/child.ts';
import { services } from '../support/services.ts';
import { startReceiver } from './receiver.ts';

/** For a test whose end is that all work is done: what stands still fails before. */
export const limitMs = 600_000;

export type BackendName = 'postgres' | 'redis';
export const account = {
  waba_id: '200000000000001',
  phone_number_id: '100000000000001',
  display_phone_number: '+1 555-010-0001',
  verified_name: 'One',
  access_token: 'token-one',
};
export const secondAccount = {
  ...account,
  waba_id: '200000000000002',
  phone_number_id: '100000000000002',
  display_phone_number: '+1 555-010-0002',
  verified_name: 'Two',
};

const log = createLog('silent', 'test');

/** The whole product as production runs it, each process a child that can be killed: workers, web, sandbox, database, queue. */
export async function startStack({
  backend,
  rate = 400,
  env = {},
  workerEnv = () => ({}),
  isRedisUp = true,
  queueUrl,
  wayToDatabase = (databaseUrl) => databaseUrl,
  webs: webCount = 1,
  workers: workerCount = 2,
}: {
  backend: BackendName;
  rate?: number;
  env?: Record<string, string>;
  /** What the workers have otherwise, once it is known where the database is. */
  workerEnv?: (databaseUrl: string) => Record<string, string> | Promise<Record<string, string>>;
  isRedisUp?: boolean;
  /** A queue of the test's own; without one it is a Redis, or the database. */
  queueUrl?: string;
  /** What web and workers have as DATABASE_URL: a pooler's address, for example. The test itself goes to the database. */
  wayToDatabase?: (databaseUrl: string) => string | Promise<string>;
  webs?: number;
  workers?: number;
}) {
  knowJobs();
  const postgres = await startPostgres({ isMigrated: true });
  const redis = backend === 'redis' && !queueUrl ? await startRedis() : undefined;
  if (!isRedisUp) await redis?.stop();
  const sandboxPort = await freePort();
  const webPorts: number[] = [];
  for (let number = 0; number < webCount; number += 1) webPorts.push(await freePort());
  const bases = webPorts.map((port) => `http://127.0.0.1:${port}`);
  const base = bases[0]!;
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const settings: Record<string, string> = {
    DATABASE_URL: await wayToDatabase(postgres.url()),
    ...((redis || queueUrl) && { QUEUE_URL: queueUrl ?? redis!.url() }),
    SECRET_KEY: randomBytes(32).toString('base64'),
    HASH_KEY: randomBytes(32).toString('base64'),
    HOST: '127.0.0.1',
    MESSAGING_APP_URL: sandboxUrl,
    ...services(sandboxUrl),
    MESSAGING_APP_SECRET: 'sandbox-app-secret',
    MESSAGING_APP_VERIFY_TOKEN: 'verify',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    // A busy machine may hold a worker up for a second or two: that is no death.
    LOCK_DURATION_MS: '4000',
    STALLED_INTERVAL_MS: '1000',
    SWEEP_INTERVAL_MS: '500',
    PROVIDER_TIMEOUT_MS: '1000',
    UNKNOWN_WINDOW: '4',
    SHUTDOWN_TIMEOUT_MS: '3000',
    RATE_LIMIT_PER_MINUTE: '600000000',
    ...env,
  };
  const backendOf = createBackend({ databaseUrl: postgres.url(), queueUrl: settings.QUEUE_URL }, log);
  const database = await openDatabase({ url: postgres.url(), poolMax: 3, applicationName: 'kanal-test', log });
  if (backend === 'postgres') await backendOf.migrate();
  await backendOf.close();
  const organizationId = await createOrganization(database.em(), 'Crash');
  const { key } = await createKey(new OwnRows(database.em(), organizationId), 'test', scopes);

  const sandbox = await spawnNode('sandbox/main.ts', {
    SANDBOX_PORT: String(sandboxPort),
    WEBHOOK_URL: `${base}/v1/providers/messaging-app/webhook`,
    APP_SECRET: 'sandbox-app-secret',
    ACCOUNTS: JSON.stringify([account, secondAccount]),
  });
  const startWeb = (port: number) => spawnNode('api/main.ts', { ...settings, PORT: String(port) });
  let webs = await Promise.all(webPorts.map(startWeb));
  let calls = 0;
  let workers: NodeProcess[] = [];
  const workerSettings = { ...settings, ...(await workerEnv(postgres.url())) };
  // Not waited for: without a queue they do not work yet.
  const startWorkers = async () => {
    const ones = Array.from({ length: workerCount }, () => spawnNode('workers/main.ts', workerSettings, ''));
    workers = await Promise.all(ones);
  };
  await startWorkers();

  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const receiver = await startReceiver();
  const stack = {
    base,
    sandboxUrl,
    database,
    postgres,
    redis,
    receiver,
    organizationId,
    settings,
    webOutput: () => webs.map((web) => web.output()).join(''),
    workerOutput: () => workers.map((worker) => worker.output()).join(''),
    async call<Body>(
      method: string,
      path: string,
      body?: object,
      more: Record<string, string> = {},
    ): Promise<{ status: number; body: Body; ms: number; isForLater: boolean }> {
      const startedAt = performance.now();
      calls += 1;
      const response = await fetch(`${bases[calls % bases.length]}${path}`, {
        method,
        headers: { ...headers, ...more },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      });
      const isForLater = response.headers.has('retry-after');
      return {
        status: response.status,
        body: (await response.json()) as Body,
        ms: performance.now() - startedAt,
        isForLater,
      };
    },
    async control<Body>(method: string, path: string, body?: object): Promise<Body> {
      const response = await fetch(`${sandboxUrl}/_control${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`sandbox ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Body;
    },
    /** SIGKILL, all of them, and as many new ones. */
    async killWorkers() {
      await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
      await startWorkers();
    },
    /** SIGKILL of one of them, and a new one in its place. */
    async killWorker(number: number) {
      const place = number % workers.length;
      await workers[place]!.end('SIGKILL');
      workers[place] = await spawnNode('workers/main.ts', workerSettings, '');
    },
    /** Where a kill shall hit work, and not another start; they must log it. */
    async untilWorking() {
      await Promise.all(workers.map((worker) => worker.says('"msg":"working"')));
    },
    /** What is under way ends first. */
    async endWorkers() {
      await Promise.all(workers.map((worker) => worker.end('SIGTERM')));
    },
    async restartWeb() {
      await Promise.all(webs.map((web) => web.end('SIGKILL')));
      webs = await Promise.all(webPorts.map(startWeb));
    },
    async connect(phoneNumberId = account.phone_number_id, wabaId = account.waba_id): Promise<string> {
      const { status, body } = await stack.call<{ id: string }>('POST', '/v1/channels', {
        phone_number_id: phoneNumberId,
        waba_id: wabaId,
        access_token: account.access_token,
        rate,
      });
      if (status !== 201) throw new Error(`connect: ${status} ${JSON.stringify(body)}`);
      return body.id;
    },
    async listen() {
      const { body } = await stack.call<{ secret: string }>('POST', '/v1/settings/developer/webhooks/endpoints', {
        url: receiver.url,
        event_types: eventTypes,
      });
      receiver.verifyWith(body.secret);
    },
    /** Each person writes first, so that a text to them is allowed. */
    async openWindows(phones: string[], phoneNumberId = account.phone_number_id) {
      await stack.control('POST', '/inbound', {
        inbounds: phones.map((phone) => ({
          phone_number_id: phoneNumberId,
          message: { type: 'text', text: { body: 'hi' } },
          contact: { profile: { name: `P ${phone}` }, wa_id: phone },
        })),
      });
      for (const until = Date.now() + 180_000; Date.now() < until; await sleep(100)) {
        const [row] = await query<{ total: number }>(
          database.em(),
          `select count(*)::int as total from messages m join channels c on c.id = m.channel_id where m.direction = 'inbound' and c.phone_number_id = $1`,
          [phoneNumberId],
        );
        if ((row?.total ?? 0) >= phones.length) return;
      }
      throw new Error('The windows did not open');
    },
    /** Asked again with one Idempotency-Key, as a client would, until there is an answer that is worth something. */
    async callSurely<Body>(
      method: string,
      path: string,
      body?: object,
      isToCome = (status: number) => status >= 500,
    ): Promise<{ status: number; body: Body }> {
      const key = randomUUID();
      let last: unknown;
      for (const until = Date.now() + 180_000; Date.now() < until; await sleep(100)) {
        try {
          const answer = await stack.call<Body>(method, path, body, { 'idempotency-key': key });
          if (!isToCome(answer.status)) return answer;
          last = answer;
        } catch (error) {
          last = error;
        }
      }
      throw new Error(`${method} ${path}: no answer within three minutes`, { cause: last });
    },
    /** Returns the message's id. */
    async sendSurely(channelId: string, phone: string, text: string): Promise<string> {
      const { status, body } = await stack.callSurely<{ data: { id: string } }>(
        'POST',
        '/v1/messages',
        { channel_id: channelId, to: `+${phone}`, type: 'text', text: { body: text } },
        (answered) => answered >= 500 || answered === 409,
      );
      if (status !== 201) throw new Error(`refused: ${status} ${JSON.stringify(body)}`);
      return body.data.id;
    },
    async stop() {
      await receiver.close();
      await Promise.all([...workers, ...webs, sandbox].map((child) => child.end('SIGKILL')));
      await database.close();
      await redis?.remove();
      await postgres.remove();
    },
  };
  return stack;
}

export type Stack = Awaited<ReturnType<typeof startStack>>;
export const phonesFrom = (count: number, first = 16505560000) =>
  Array.from({ length: count }, (_, index) => String(first + index));
export const databaseOf = (stack: Stack): Database => stack.database;
