import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../test/support/migrate.ts';
import { freePort } from '../test/support/servers/child.ts';
import { createPostgresServer } from '../test/support/servers/postgres.ts';
import { createRedisServer } from '../test/support/servers/redis.ts';
import { type Process, startProcess, startReceiver, untilReady } from './processes.ts';
import { appSecret, seedTenant, type Tenant } from './tenant.ts';

export type BackendName = 'redis' | 'postgres';
export type SideName = 'kanal' | 'floor';

/** Kanal or its floor: a database of its own on the one server, with the same rows. */
export type Side = {
  name: SideName;
  /** What runs there. */
  product: SideName;
  tenant: Tenant;
  sql: pg.Pool;
  env: Record<string, string>;
  startWeb(more?: Record<string, string>): Promise<{ process: Process; base: string }>;
  startWorker(queues: string, more?: Record<string, string>): Process;
};

export type Stage = {
  backend: BackendName;
  kanal: Side;
  floor: Side;
  sandbox: Sandbox;
  receiver: Receiver;
  /** Process ids. */
  servers: { postgres: number; redis?: number };
  close(): Promise<void>;
};
export type Sandbox = { url: string; control<Answer>(method: string, path: string, body?: object): Promise<Answer> };
export type Receiver = { process: Process; url: string };

export const accessToken = 'bench-token';
const phoneNumberId = '100000000000001';

type Options = {
  /** Settings of postgresql.conf. */
  settings?: Record<string, string>;
  /** Kanal on both sides. */
  isTwin?: boolean;
};

/** The bench's own statements are told from the product's by it. */
export const benchRole = 'bench';

/** PostgreSQL as shipped (durable commits), Redis with its append-only file, sandbox and receiver, each a process of its own. */
export async function openStage(backend: BackendName, { settings, isTwin = false }: Options = {}): Promise<Stage> {
  const durable = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' };
  const postgres = await createPostgresServer({ more: { ...durable, ...settings } });
  const redis = backend === 'redis' ? await createRedisServer({ args: ['--appendonly', 'yes'] }) : undefined;
  const sandboxPort = await freePort();
  const sandboxProcess = startProcess('sandbox/main.ts', {
    SANDBOX_PORT: String(sandboxPort),
    APP_SECRET: appSecret,
    ACCOUNTS: JSON.stringify([
      {
        waba_id: '200000000000001',
        phone_number_id: phoneNumberId,
        display_phone_number: '+1 555-010-0001',
        verified_name: 'Bench',
        access_token: accessToken,
      },
    ]),
  });
  const receiver = await startReceiver('bench/receiver.ts');
  const sandbox: Sandbox = {
    url: `http://127.0.0.1:${sandboxPort}`,
    async control(method, path, body) {
      const response = await fetch(`http://127.0.0.1:${sandboxPort}/_control${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`sandbox ${path}: ${response.status} ${await response.text()}`);
      return response.json() as never;
    },
  };
  await untilReady(`${sandbox.url}/_control/stats`);
  await sandbox.control('POST', '/behaviour', { auto_status: [] });

  const files = await mkdtemp(join(tmpdir(), 'kanal-bench-'));
  const admin = new pg.Client({ connectionString: postgres.url() });
  await admin.connect();
  await admin.query(`create role ${benchRole} superuser login`);
  const sides: Side[] = [];
  for (const [index, name] of (['kanal', 'floor'] as const).entries()) {
    await admin.query(`create database ${name}`);
    const product = isTwin ? 'kanal' : name;
    const mediaFolder = join(files, name);
    sides.push(await openSide({ name, product }, postgres.url(name), redis?.url(index), sandbox.url, receiver.url, mediaFolder));
  }
  await admin.end();
  const [kanal, floor] = sides as [Side, Side];
  return {
    backend,
    kanal,
    floor,
    sandbox,
    receiver,
    servers: { postgres: postgres.pid(), ...(redis && { redis: redis.pid() }) },
    async close() {
      await Promise.all([sandboxProcess.stop(), receiver.process.stop(), kanal.sql.end(), floor.sql.end()]);
      await Promise.all([postgres.remove(), redis?.remove(), rm(files, { recursive: true, force: true })]);
    },
  };
}

async function openSide(
  { name, product }: Pick<Side, 'name' | 'product'>,
  databaseUrl: string,
  queueUrl: string | undefined,
  sandboxUrl: string,
  receiverUrl: string,
  mediaFolder: string,
): Promise<Side> {
  await migrate(databaseUrl);
  const benchUrl = new URL(databaseUrl);
  benchUrl.username = benchRole;
  const sql = new pg.Pool({ connectionString: benchUrl.href, max: 4 });
  const [secretKey, hashKey] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  const tenant = await seedTenant(sql, {
    keys: product === 'kanal' ? { secretKey, hashKey } : undefined,
    accessToken,
    phoneNumberId,
    receiverUrl,
  });
  const env = {
    DATABASE_URL: databaseUrl,
    ...(queueUrl && { QUEUE_URL: queueUrl }),
    SECRET_KEY: secretKey,
    HASH_KEY: hashKey,
    HOST: '127.0.0.1',
    // As in the image (Dockerfile).
    NODE_OPTIONS: '--max-semi-space-size=16',
    MEDIA_FOLDER: mediaFolder,
    MESSAGING_APP_URL: sandboxUrl,
    MESSAGING_APP_SECRET: appSecret,
    CALENDAR_URL: `${sandboxUrl}/calendar/v3`,
    CALENDAR_TOKEN_URL: `${sandboxUrl}/oauth2/token`,
    SHIPPER_URL: `${sandboxUrl}/shipper`,
    PAYMENT_STRIPE_URL: sandboxUrl,
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
    // The limit costs what it costs, and refuses nothing.
    RATE_LIMIT_PER_MINUTE: '600000000',
    UPLOADS_PER_ORGANIZATION: '100',
    // The floor knows its one key without asking.
    API_KEY: tenant.apiKey,
    ORGANIZATION_ID: tenant.organizationId,
  };
  return {
    name,
    product,
    tenant,
    sql,
    env,
    async startWeb(more = {}) {
      const port = await freePort();
      const process = startProcess(product === 'kanal' ? 'api/main.ts' : 'bench/floors/web.ts', {
        ...env,
        ...more,
        PORT: String(port),
      });
      await untilReady(`http://127.0.0.1:${port}/readyz`);
      return { process, base: `http://127.0.0.1:${port}` };
    },
    startWorker: (queues, more = {}) =>
      startProcess(product === 'kanal' ? 'workers/main.ts' : 'bench/floors/worker.ts', { ...env, ...more, QUEUES: queues }),
  };
}
