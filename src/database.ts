import type { EntityManager } from '@mikro-orm/postgresql';
import { MikroORM } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Pool } from 'pg';
import { onBehalfOf, onNobodysBehalf, shareConnections } from './connection-shares.ts';
import { AppError } from './errors.ts';
import { type Log, reasonOf } from './log.ts';
import { ormOptions } from './orm.ts';
import { PreparingClient } from './preparing-client.ts';
import type { RequestBounds } from './request-bounds.ts';

export type Em = EntityManager;
/** Where a statement may run: the database, on any connection, or an EntityManager, in its transaction when it has one. */
export type Source = Em | Database;

export type Database = {
  orm: MikroORM;
  pool: Pool;
  /** An EntityManager of one's own: one a request, one a try of a job. */
  em(): Em;
  /** Runs `work` in one transaction; entities are flushed by `work`. `first` are statements sent along with its begin, results unread. */
  transaction<Result>(work: (em: Em) => Promise<Result>, first?: string[]): Promise<Result>;
  /** Connections that `work` takes count to the share of `key`, where the process has shares. */
  onBehalfOf<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /** Connections that `work` takes count to nobody's, whoever began it. */
  onNobodysBehalf<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Statements for a transaction's begin: those after them may take longer than a request's usually do. */
  forLongWork: string[];
  ping(): Promise<void>;
  /** Of the pool, at this moment; `waiting` asked for one and have none yet. */
  connections(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
};

type DatabaseOptions = { url: string; poolMax: number; applicationName: string; log: Log; bounds?: RequestBounds };

const workerStatementMs = 30_000;

/** For one transaction alone. */
const longWork = ({ longStatementMs }: RequestBounds) => [
  `set local statement_timeout = ${longStatementMs}`,
  'set local transaction_timeout = 0',
];

/** The server must have room for this process's connections, `queueMax` of the queue's among them. Throws with both figures. */
export async function checkConnections(database: Database, queueMax: number, poolMax: number) {
  const [row] = await query<{ room: number }>(
    database.em(),
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as room`,
  );
  const wanted = poolMax + queueMax;
  if (row && row.room < wanted)
    throw new Error(`The database allows ${row.room} connections; this process alone wants up to ${wanted} (DATABASE_POOL_MAX)`);
}

export async function openDatabase({ url, poolMax, applicationName, log, bounds }: DatabaseOptions): Promise<Database> {
  const made: { pool?: Pool } = {};
  const orm = await MikroORM.init({
    ...ormOptions,
    clientUrl: url,
    pool: { min: 0, max: poolMax },
    logger: (message) => log.debug({ message }, 'database'),
    // A statement that hangs must not hold a request or a lane for ever; migrations run through a connection of their own.
    driverOptions: {
      Client: PreparingClient,
      application_name: applicationName,
      connectionTimeoutMillis: 5_000,
      statement_timeout: bounds?.statementMs ?? workerStatementMs,
      lock_timeout: bounds?.lockMs ?? 0,
      idle_in_transaction_session_timeout: 15_000,
      // Every read has its index. Tables of work are empty most of the time: a statement prepared then would read the whole table, and
      // go on doing so while it fills (measured: a quarter of the throughput of POST /v1/messages, by chance).
      options: `-c enable_seqscan=off -c transaction_timeout=${bounds?.transactionMs ?? 0}`,
      keepAlive: true,
      onPoolCreated: (created: Pool) => {
        made.pool = created;
        if (bounds) shareConnections(created, bounds.share);
      },
    },
  });
  const connection = orm.em.getConnection();
  // Makes the pool; connects to nobody yet, and the server may be away.
  const kysely = connection.getClient();
  const pool = made.pool!;
  pools.set(connection, pool);
  return {
    orm,
    pool,
    em: () => orm.em.fork(),
    // Not em.transactional(): there a rollback that fails, as it does when the server has gone, never gives its connection back to
    // the pool (MikroORM 7.2 on Kysely 0.29; after one restart of PostgreSQL the pool was empty for good).
    transaction: (work, first = []) =>
      kysely.connection().execute(async (reserved: Kysely<unknown>) => {
        const run = (text: string) => reserved.executeQuery(CompiledQuery.raw(text));
        const em = orm.em.fork();
        em.setTransactionContext(reserved as never);
        try {
          await run(['begin', ...first].join('; ')).catch(lockError);
          const result = await work(em);
          await run('commit');
          return result;
        } catch (error) {
          await run('rollback').catch(() => undefined);
          throw error;
        }
      }),
    onBehalfOf: bounds ? onBehalfOf : (_key, work) => work(),
    onNobodysBehalf: bounds ? onNobodysBehalf : (work) => work(),
    forLongWork: bounds ? longWork(bounds) : [],
    ping: async () => void (await pool.query('select 1')),
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await orm.close();
      // Kysely ends the pool only if it has used it itself: a command that only reads would stay for the 10 s of an idle connection.
      if (!pool.ending) await pool.end();
    },
  };
}

/** The driver's own pool by MikroORM's connection: outside a transaction a statement needs none of the layers above it. */
const pools = new WeakMap<object, Pool>();

/**
 * A statement planned for the very values it is given, at some 0.3 ms each time: where the best plan is another for each of them, as in a
 * search. Within a transaction it is prepared like every other.
 */
export async function queryPlanned<Row = Record<string, unknown>>(
  source: Source,
  text: string,
  params: unknown[],
): Promise<Row[]> {
  const pool = 'pool' in source ? source.pool : source.isInTransaction() ? undefined : pools.get(source.getConnection());
  // As an object: PreparingClient gives a name to texts alone.
  return pool ? (await pool.query({ text, values: params })).rows : query<Row>(source, text, params);
}

/** One statement with $1, $2 … placeholders, in the EntityManager's transaction when it has one. */
export async function query<Row = Record<string, unknown>>(source: Source, text: string, params: unknown[] = []): Promise<Row[]> {
  if ('pool' in source) return (await source.pool.query(text, params)).rows;
  const pool = source.isInTransaction() ? undefined : pools.get(source.getConnection());
  const result = await (pool ? pool.query(text, params) : source.getKysely().executeQuery(CompiledQuery.raw(text, params)));
  return result.rows as Row[];
}

const stateOf = (error: unknown): { code?: string; constraint?: string; where?: string; message: string } => {
  const fields = (error ?? {}) as { code?: string; constraint?: string; where?: string; cause?: unknown };
  if (fields.code === undefined && fields.cause) return stateOf(fields.cause);
  return { code: fields.code, constraint: fields.constraint, where: fields.where, message: reasonOf(error) };
};

/** The unique constraint an error violated, if that is what it is. */
export function violatedConstraint(error: unknown): string | undefined {
  const { code, constraint } = stateOf(error);
  return code === '23505' ? constraint : undefined;
}

/** The foreign key an error violated: what was referred to is not there, or not any more. */
export function brokenReference(error: unknown): string | undefined {
  const { code, constraint } = stateOf(error);
  return code === '23503' ? constraint : undefined;
}

/** Serialization failure or deadlock: the same transaction may well succeed now. */
export const isTransient = (error: unknown) => ['40001', '40P01'].includes(stateOf(error).code ?? '');

const away = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '25P03',
  // A transaction that took too long ends with its connection.
  '25P04',
  // A server turned read-only by a failover.
  '25006',
]);

/** The database cannot be reached, is starting, stopping or full: our outage, nobody's mistake. */
export function isDatabaseAway(error: unknown): boolean {
  const { code = '', message } = stateOf(error);
  return (
    away.has(code) ||
    /^(08|53|58)/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|terminating connection|not queryable/i.test(
      message,
    )
  );
}

export const databaseAway = (cause: unknown) => {
  const message = isTooBusy(cause) ? 'The database takes too long; try again' : 'The database cannot be reached; try again';
  return new AppError('unavailable', message, { retryAfterSeconds: 1, cause });
};

/** Cut by its time limit. */
export const isTimedOut = (error: unknown) => stateOf(error).code === '57014';

const lockNotAvailable = '55P03';

/** A lock was waited for in vain: somebody else's work on the same record is not over. Their client is told 409, and to try again. */
export class RecordBusy extends AppError {
  constructor(cause: unknown) {
    super('conflict', 'Something else is at work on it; try again', { retryAfterSeconds: 1, cause });
  }
}

/** For the `catch` of a statement that takes nothing but advisory locks. */
export function lockError(error: unknown): never {
  throw stateOf(error).code === lockNotAvailable ? new RecordBusy(error) : error;
}

/**
 * Waited in vain for a row: the context names its place as (page,item), in whatever language. The second who waits for the same row
 * waits for the first, and cannot be told from one who waits for a table: that is our outage, as a table's lock is.
 */
export const isRowLocked = (error: unknown) => {
  const { code, where = '' } = stateOf(error);
  return code === lockNotAvailable && /\(\d+,\d+\)/.test(where);
};

/** Cut by the time limit of a statement or a lock, or a conflict that would not end: the database is there and could not do it now. */
export const isTooBusy = (error: unknown) => isTransient(error) || isTimedOut(error) || stateOf(error).code === lockNotAvailable;

/** The database's outage, raw or already told: nobody's answer, and to be tried again. So is a lock, for work that nobody waits for. */
export const isOurOutage = (error: unknown) =>
  error instanceof AppError
    ? error.code === 'unavailable' || error instanceof RecordBusy
    : isDatabaseAway(error) || isTooBusy(error);

/** For a check at start: a database that is away is waited for by everything else, and no reason not to start. */
export const unlessAway = (log: Log) => (error: unknown) => {
  if (!isOurOutage(error)) throw error;
  log.warn({ reason: reasonOf(error) }, 'the database is away');
};
