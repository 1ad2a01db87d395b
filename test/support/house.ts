import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { openDatabase } from '../../src/open-database.ts';
import { createOrganization } from '../../src/organizations/organizations.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import type { Database, Em } from '../../src/platform/database/database.ts';
import { query } from '../../src/platform/database/query.ts';
import type { DispatchedRow, PoolRef } from '../../src/platform/ledger/accept.ts';
import type { Backend } from '../../src/platform/ledger/backends/backend.ts';
import { type AnyWorker, withinMs } from '../../src/platform/ledger/backends/backend.ts';
import { registerContracts } from '../../src/platform/ledger/contracts.ts';
import type { JobContract } from '../../src/platform/ledger/job.ts';
import type { JobError, JobState } from '../../src/platform/ledger/jobs.entity.ts';
import { createLedger, type Ledger } from '../../src/platform/ledger/ledger.ts';
import { poolOf } from '../../src/platform/ledger/pools.ts';
import { openQueues, type Queues } from '../../src/platform/ledger/queues.ts';
import { type Findings, sweep } from '../../src/platform/ledger/sweep.ts';
import type { EnqueueOptions } from '../../src/platform/ledger/tx.ts';
import { createConnectionMetrics } from '../../workers/connections/connection-metrics.ts';
import type { Handler, Outcome, RunContext, WorkerDeps } from '../../workers/handler.ts';
import { createJobMetrics } from '../../workers/job-metrics.ts';
import { createFileMetrics } from '../../workers/messaging/file-metrics.ts';
import type { Place } from '../../workers/places.ts';
import { createFlowMetrics } from '../../workers/provider-webhooks/flow-metrics.ts';
import { type Ended, type Run, runJob } from '../../workers/run-job.ts';
import { createSuspects } from '../../workers/suspects.ts';
import { createDeliveryMetrics } from '../../workers/webhooks/delivery-metrics.ts';
import { startWorker } from '../../workers/worker.ts';
import type { MakeBackend } from './backends.ts';
import { createTestDatabase } from './database.ts';
import { collectingLog, type LogLine } from './log.ts';
import { testHashKey, testSecretKey, testSecrets } from './secrets.ts';
import { newToy, playJob, type ToyPayload, toyContracts } from './toys.ts';
import { maxWaitMs } from './wait-for.ts';

/** A row of `jobs` as a test reads it. */
export type JobRow = {
  organization_id: string;
  id: string;
  lane: string | null;
  pool: string | null;
  seq: number;
  state: JobState;
  run: number;
  attempts: number;
  stalls: number;
  queue: string;
  error: JobError | null;
  subject_id: string;
  /** Milliseconds of the epoch. */
  slot_at: number | null;
  /** Milliseconds from now, by the database's clock. */
  run_in: number;
  check_in: number;
};

export type ToyHandler = Handler<Record<string, string>, unknown>;
export const toyHandler = (
  contract: JobContract<ToyPayload>,
  run: (payload: ToyPayload, context: RunContext<unknown>) => Promise<Outcome>,
): ToyHandler => ({ contract, run }) as unknown as ToyHandler;

/** Does the toy's effect once and ends. */
export const playing = (contract: JobContract<ToyPayload> = playJob) =>
  toyHandler(contract, ({ toy_id }, context) =>
    context.finish(async (tx) => {
      await tx.query(`update toys set status = 'done', effects = effects + 1 where id = $1`, [toy_id]);
      await tx.query('insert into played (toy_id, lane) values ($1, $2)', [toy_id, context.row.lane]);
    }),
  );

export type House = {
  url: string;
  database: Database;
  queues: Queues;
  ledger: Ledger;
  lines: LogLine[];
  organizationId: string;
  /** A pool of the house's organization. */
  pool(id: string): PoolRef;
  deps: WorkerDeps;
  /** Runs handed to the queue, when the house has none of its own: nothing runs by itself there. */
  dispatched: DispatchedRow[];
  em(): Em;
  sql<Row = Record<string, unknown>>(text: string, params?: unknown[]): Promise<Row[]>;
  /** Accepts one job with a new toy; its ids. */
  accept(options?: EnqueueOptions & { contract?: JobContract<ToyPayload> }): Promise<{ id: string; toyId: string }>;
  row(id: string): Promise<JobRow | undefined>;
  /** Empties the ledger, the toys and what else is named, once the fills under way are over. */
  reset(...alsoTables: string[]): Promise<void>;
  /** All rows, in order of seq. */
  rows(): Promise<JobRow[]>;
  toy(id: string): Promise<{ status: string; effects: number; revivals: number; reason: string | null }>;
  /** Runs a row as BullMQ would hand it over. */
  run(handler: ToyHandler, run: Partial<Run> & { id: string }): Promise<Ended>;
  sweep(): Promise<Findings>;
  /** Sweeps until nothing was left for want of time; all that was found. */
  sweepAll(): Promise<Findings>;
  /** Starts BullMQ workers for the queue `default`. */
  work(handlers: ToyHandler[], options?: { concurrency?: number }): AnyWorker;
  close(): Promise<void>;
};

/** For a run that nobody else is in the way of. */
export const onePlace: Place = {
  outside: (call) => call(),
  rest: async (ms) => void (await sleep(ms)),
  leave: () => undefined,
};

/** What holds no queue at all: it takes runs and keeps them for the test to read. */
function silentQueues(dispatched: DispatchedRow[]): Queues {
  return {
    backend: undefined as never,
    isReady: () => true,
    whenOpen: async () => {},
    add: async (rows) => void dispatched.push(...rows),
    wake: async () => {},
    states: async (rows) => rows.map(() => 'waiting'),
    queue: () => undefined,
    all: () => [],
    close: async () => {},
  };
}

/** On a machine that is busy with other work a probe may be late, and the queue count as away for a second. */
const neverAway = (backend: Backend): Backend => ({ ...backend, probe: async () => {} });

const jobColumns = `organization_id, id, lane, pool, seq::float8, state, run, attempts, stalls, queue, error, subject_id, (extract(epoch from slot_at) * 1000)::float8 as slot_at,
  (extract(epoch from run_at - clock_timestamp()) * 1000)::float8 as run_in, (extract(epoch from check_at - clock_timestamp()) * 1000)::float8 as check_in`;

type Sql = House['sql'];
const referringTo = new Map<string, string[]>();

/** These tables and those with foreign keys to them. */
async function withReferring(sql: Sql, tables: string[]): Promise<string[]> {
  const known = referringTo.get(String(tables));
  if (known) return known;
  const rows = await sql<{ name: string }>(
    `with recursive found(id) as (
       select name::regclass::oid from unnest($1::text[]) name
       union
       select c.conrelid from pg_constraint c join found f on c.confrelid = f.id where c.contype = 'f'
     )
     select id::regclass::text as name from found`,
    [tables],
  );
  const names = rows.map(({ name }) => name);
  referringTo.set(String(tables), names);
  return names;
}

/** One statement. A deletion of few rows costs a tenth of a truncation, which makes new files for the table and each of its indexes. */
const emptying = (tables: string[]) => `do $$
  begin
    lock table ${tables.join(', ')} in access exclusive mode;
    set local session_replication_role = replica;
    ${tables.map((name) => `delete from ${name};`).join('\n    ')}
    set local session_replication_role = origin;
  end $$`;

/** The ledger over a database of the test's own, with toys for subjects; with `makeBackend` over a real queue. Close it. */
export async function openHouse(
  makeBackend?: MakeBackend,
  { poolMax = 12, awaitsQueue = false, env = {} }: { poolMax?: number; awaitsQueue?: boolean; env?: Record<string, string> } = {},
): Promise<House> {
  const { url, drop } = await createTestDatabase('toys');
  const { log, lines } = collectingLog();
  const database = await openDatabase({ url, poolMax, applicationName: 'kanal-test', log });
  const dispatched: DispatchedRow[] = [];
  const queues = makeBackend ? openQueues(neverAway(makeBackend(url)), log, () => {}) : silentQueues(dispatched);
  const ledger = createLedger({ database, queues, log, awaitsQueue });
  const em = () => database.em();
  const sql = <Row>(text: string, params: unknown[] = []) => query<Row>(em(), text, params);
  registerContracts(toyContracts);
  const organizationId = await createOrganization(em(), 'Test');
  if (makeBackend) await withinMs(queues.whenOpen(), maxWaitMs, 'The queue');
  while (!queues.isReady()) await sleep(5);
  const workers: AnyWorker[] = [];
  let isStopping = false;
  const config = readConfig({
    DATABASE_URL: url,
    SECRET_KEY: testSecretKey,
    HASH_KEY: testHashKey,
    LOCK_DURATION_MS: '3000',
    STALLED_INTERVAL_MS: '500',
    RUN_RETRY_DELAY_MS: '100',
    ...env,
  });
  const deps: WorkerDeps = {
    config,
    database,
    ledger,
    log,
    secrets: testSecrets,
    providers: undefined as never,
    storage: undefined as never,
    sender: undefined as never,
    http: undefined as never,
    jobMetrics: createJobMetrics(new Registry()),
    deliveryMetrics: createDeliveryMetrics(new Registry()),
    fileMetrics: createFileMetrics(new Registry()),
    flowMetrics: createFlowMetrics(new Registry()),
    connectionMetrics: createConnectionMetrics(new Registry()),
    isStopping: () => isStopping,
  };
  const swept = { database, queues, ledger, log, config };
  return {
    url,
    database,
    queues,
    ledger,
    lines,
    organizationId,
    pool: (id) => poolOf(organizationId, id),
    deps,
    dispatched,
    em,
    sql,
    async accept({ contract = playJob, ...options } = {}) {
      const toyId = await newToy(em(), contract.name, options.lane ?? null);
      const locks = options.lane ? [options.lane] : [];
      const id = await ledger.transact({ locks }, async (tx) => tx.enqueue(contract, organizationId, { toy_id: toyId }, options));
      return { id, toyId };
    },
    row: async (id) => (await sql<JobRow>(`select ${jobColumns} from jobs where id = $1`, [id]))[0],
    async reset(...alsoTables) {
      await ledger.fill(poolOf(organizationId, 'toys'));
      const tables = ['pools', 'jobs', 'toys', 'played', ...alsoTables];
      // A fill or an end may still be at work and meet this in a deadlock: transact looks again.
      const emptied = await withReferring(sql, tables);
      await ledger.transact({}, (tx) => tx.query(emptying(emptied)));
      dispatched.length = 0;
    },
    rows: () => sql<JobRow>(`select ${jobColumns} from jobs order by jobs.seq`),
    toy: async (id) =>
      (
        await sql<{ status: string; effects: number; revivals: number; reason: string | null }>(
          'select * from toys where id = $1',
          [id],
        )
      )[0]!,
    async run(handler, run) {
      const { ended } = await runJob(
        deps,
        handler,
        { organization_id: organizationId, run: 1, attemptsMade: 0, stalledCounter: 0, ...run },
        onePlace,
      );
      return ended;
    },
    sweep: () => sweep(swept),
    async sweepAll() {
      const all = await sweep(swept);
      while (!all.isWhole) {
        const more = await sweep(swept);
        for (const kind of ['parked', 'looked', 'added', 'rerun', 'woken', 'pools', 'lanes'] as const) all[kind] += more[kind];
        all.isWhole = more.isWhole;
      }
      return all;
    },
    work(handlers, { concurrency = 5 } = {}) {
      const byName = new Map(handlers.map((handler) => [handler.contract.name, handler]));
      const worker = startWorker(
        deps,
        queues.backend,
        'default',
        byName,
        { concurrency, share: concurrency, open: concurrency * 8 },
        createSuspects(),
      );
      workers.push(worker);
      return worker;
    },
    async close() {
      isStopping = true;
      await Promise.all(workers.map((worker) => withinMs(worker.close(), 5_000, 'A worker').catch(() => worker.close(true))));
      await queues.close();
      await database.close();
      await drop();
    },
  };
}
