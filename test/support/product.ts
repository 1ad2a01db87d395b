import { createHmac } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningWeb, startWeb } from '../../api/start.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { setUrlRules } from '../../src/automation/http/url-rules.ts';
import { createKey } from '../../src/organizations/keys.ts';
import { type Scope, scopes } from '../../src/organizations/scopes.ts';
import { type Config, readConfig } from '../../src/platform/config/config.ts';
import { OwnRows } from '../../src/platform/database/own.ts';
import { query } from '../../src/platform/database/query.ts';
import { type RunningWorker, startWorkers } from '../../workers/start.ts';
import { checkReply, definitionOf, endpointAt } from './contract.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { organizationWithKey } from './factories/organization.ts';
import { collectingLog } from './log.ts';
import { appQueueUrl, flush } from './redis.ts';
import { testHashKey, testSecretKey } from './secrets.ts';
import { services } from './services.ts';
import { maxWaitMs, waitFor } from './wait-for.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads a body that its contract has checked
export type Body = any;
export type Reply = { status: number; headers: Headers; text: string; body: Body };
export type Tenant = { organizationId: string; key: string; keyId: string };
export type Channel = { id: string; phoneNumberId: string; wabaId: string; accessToken: string; tenant: Tenant };
type Environment = Record<string, string>;
type CallOptions = {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean>;
  body?: unknown;
  headers?: Record<string, string>;
  /** null: none. Default: the first organization's. */
  key?: string | null;
};
type RawOptions = { headers?: Record<string, string>; body?: RequestInit['body']; key?: string | null };
export type AppOptions = {
  workers?: boolean;
  env?: Environment;
  workerEnv?: Environment;
  /** Of the web process: what no environment may set. */
  config?: Partial<Config>;
};

export const appSecret = 'app-secret-of-the-tests';
export const verifyToken = 'verify-token-of-the-tests';
const providerPath = '/v1/providers/messaging-app/webhook';

/** The product as it runs, in the test's process: web, sandbox and, when asked, workers, over a database of the file's own. */
export class Product {
  web!: RunningWeb;
  base = '';
  /** Where the files of media assets are. */
  mediaFolder = '';
  sandboxUrl = '';
  /** The first organization; its key has every scope. */
  tenant!: Tenant;
  readonly log = collectingLog();
  #sandbox!: Sandbox;
  #workers: RunningWorker[] = [];
  /** Those of `start`. */
  #started: RunningWorker[] = [];
  #database!: TestDatabase;
  #environment: Environment = {};
  #counting: Promise<string> | undefined;
  isStopped = false;

  async start({ workers = false, env = {}, workerEnv = {}, config = {} }: AppOptions) {
    this.#database = await createTestDatabase();
    this.#sandbox = createSandbox();
    this.sandboxUrl = `http://127.0.0.1:${await this.#sandbox.listen(0)}`;
    this.mediaFolder = await mkdtemp(join(tmpdir(), 'kanal-media-'));
    const own = { DATABASE_URL: this.#database.url, MESSAGING_APP_URL: this.sandboxUrl, MEDIA_FOLDER: this.mediaFolder };
    const queueUrl = workers ? appQueueUrl() : undefined;
    await flush(queueUrl);
    this.#environment = { ...defaults, ...services(this.sandboxUrl), ...own, ...(queueUrl && { QUEUE_URL: queueUrl }), ...env };
    this.web = await startWeb({ ...readConfig(this.#environment), ...config }, this.log.log, failed('web'));
    this.base = `http://127.0.0.1:${this.web.port}`;
    await this.#prepare();
    if (workers) await this.startWorkers(workerEnv);
    this.#started = [...this.#workers];
  }

  async #prepare() {
    await this.control('POST', '/subscription', {
      webhook_url: this.base + providerPath,
      app_secret: appSecret,
      verify_token: verifyToken,
    });
    await this.control('POST', '/behaviour', { delay_ms: 5, retry_first_ms: 50, window: 'off' });
    this.tenant = await this.organization();
  }

  /** As after `start`, for the next test file: no rows, no jobs, no files, a reset sandbox, an empty log and a new organization. */
  async renew() {
    const { queues, config } = this.web.deps;
    await Promise.all(this.#workers.filter((worker) => !this.#started.includes(worker)).map((worker) => worker.stop()));
    this.#workers = [...this.#started];
    setUrlRules(config);
    await this.control('DELETE', '');
    // What was under way when the file before ended may still write: until nothing is found.
    await waitFor('the end of the file before', async () => {
      await this.rows('delete from jobs');
      await Promise.all(queues.all().map((queue) => queue.drain(true)));
      const active = await Promise.all(queues.all().map((queue) => queue.getActiveCount()));
      return active.every((count) => count === 0) && (await this.#database.empty()) === 0;
    });
    for (const state of ['completed', 'failed'] as const)
      await Promise.all(queues.all().map((queue) => queue.clean(0, 0, state)));
    await rm(this.mediaFolder, { recursive: true, force: true });
    await mkdir(this.mediaFolder);
    this.log.lines.length = 0;
    await this.#prepare();
  }

  async startWorkers(env: Environment = {}): Promise<RunningWorker> {
    const since = this.log.lines.length;
    const worker = await startWorkers(readConfig({ ...this.#environment, ...env }), this.log.log, failed('worker'));
    this.#workers.push(worker);
    await waitFor('the workers', () => this.log.lines.slice(since).some(({ msg }) => msg === 'working'));
    return worker;
  }

  /** In this process: what a test starts elsewhere is not known here. */
  hasWorkers = () => this.#workers.length > 0;

  async stop() {
    this.isStopped = true;
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    await this.web?.stop();
    await this.#sandbox?.close();
    await this.#database?.drop();
    if (this.mediaFolder) await rm(this.mediaFolder, { recursive: true, force: true });
  }

  /** A request to an endpoint by its id. */
  async call(operationId: string, { params = {}, query: search = {}, body, headers, key }: CallOptions = {}): Promise<Reply> {
    const endpoint = definitionOf(operationId);
    const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? `no-${name}`));
    const text = new URLSearchParams(
      Object.entries(search).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const type = endpoint.receive?.contentType ?? 'application/json';
    return this.raw(endpoint.method, text ? `${path}?${text}` : path, {
      key,
      headers: { ...(body !== undefined && { 'content-type': type }), ...headers },
      ...(body !== undefined && { body: endpoint.receive ? (body as string | Buffer) : JSON.stringify(body) }),
    });
  }

  /** Any request. The reply of an endpoint must be one its contract knows, whichever way it was asked. */
  async raw(method: string, path: string, { headers, body, key }: RawOptions = {}): Promise<Reply> {
    const own = key === undefined ? this.tenant.key : key;
    const response = await fetch(this.base + path, {
      method: method.toUpperCase(),
      headers: { ...(own !== null && { 'x-api-key': own }), ...headers },
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(maxWaitMs),
    });
    const text = await response.text();
    const { status, headers: replied } = response;
    const endpoint = endpointAt(method, path);
    if (endpoint) checkReply(endpoint, { status, headers: replied, text });
    return { status, headers: replied, text, body: isJson(response) && text ? JSON.parse(text) : text };
  }

  /** A signed webhook of the provider. */
  async webhook(
    body: object | string | Buffer,
    { path = '', secret = appSecret, signature = '', headers = {} } = {},
  ): Promise<Reply> {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const header = signature || `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;
    return this.raw('POST', providerPath + path, {
      key: null,
      body: new Uint8Array(bytes),
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': header, ...headers },
    });
  }

  async control(method: string, path: string, body?: object): Promise<Body> {
    const response = await fetch(`${this.sandboxUrl}/_control${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const reply = await response.json();
    if (!response.ok) throw new Error(`sandbox ${path}: ${response.status} ${JSON.stringify(reply)}`);
    return reply;
  }

  em = () => this.web.deps.database.em();

  rows<Row = Body>(text: string, params: unknown[] = []): Promise<Row[]> {
    return query<Row>(this.em(), text, params);
  }

  async one<Row = Body>(text: string, params: unknown[] = []): Promise<Row> {
    const [row, ...more] = await this.rows<Row>(text, params);
    if (row === undefined || more.length > 0) throw new Error(`Not one row but ${more.length + (row ? 1 : 0)}: ${text}`);
    return row;
  }

  /** How many rows each table has: what must not have changed when nothing was stored. One statement, planned once: there are a hundred tables. */
  async counts(): Promise<Record<string, number>> {
    this.#counting ??= this.rows<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not in ('heartbeats', 'purges')`,
    ).then((tables) => `select ${tables.map(({ name }) => `(select count(*)::int from "${name}") as "${name}"`)} where $1`);
    return this.one(await this.#counting, [true]);
  }

  /** Lines of the requests logged since a moment: `const since = app.log.lines.length`. */
  requestLines = (since = 0) => this.log.lines.slice(since).filter(({ msg }) => msg === 'request');

  organization(allowed: Scope[] = scopes): Promise<Tenant> {
    return organizationWithKey(this.em(), allowed);
  }

  async key(organizationId: string, allowed: Scope[]): Promise<{ key: string; keyId: string }> {
    const { id, key } = await createKey(new OwnRows(this.em(), organizationId), 'test', allowed);
    return { key, keyId: id };
  }
}

const isJson = (response: Response) => (response.headers.get('content-type') ?? '').includes('json');
const failed = (what: string) => () => {
  throw new Error(`the queue objects of the ${what} are dead`);
};

const defaults: Environment = {
  HOST: '127.0.0.1',
  PORT: '0',
  SECRET_KEY: testSecretKey,
  HASH_KEY: testHashKey,
  // The sandbox's own.
  MESSAGING_APP_ID: '400000000000001',
  MESSAGING_APP_SECRET: appSecret,
  MESSAGING_APP_VERIFY_TOKEN: verifyToken,
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
  PROVIDER_TIMEOUT_MS: '2000',
  UNKNOWN_WINDOW: '2',
  // Only where a test asks for one: nothing else calls the provider.
  CHANNEL_CHECK_SECONDS: '0',
  WEBHOOK_TIMEOUT_MS: '2000',
  // High, and not off: what a test of limits does not ask for shall not meet them, but pass through them.
  RATE_LIMIT_PER_MINUTE: '600000000',
  CREDENTIAL_TRIES_PER_MINUTE: '0',
  // A machine that is busy with other work shall not end a request's waits: what they end in is the subject of tests that set them.
  REQUEST_LOCK_TIMEOUT_MS: '60000',
  REQUEST_STATEMENT_TIMEOUT_MS: '60000',
  REQUEST_TRANSACTION_TIMEOUT_MS: '120000',
  DATABASE_POOL_SHARE_WAIT_MS: '60000',
  LIST_TIMEOUT_MS: '30000',
  SWEEP_INTERVAL_MS: '300',
  RUN_RETRY_DELAY_MS: '50',
  SHUTDOWN_TIMEOUT_MS: '2000',
};
