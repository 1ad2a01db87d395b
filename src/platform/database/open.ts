import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { Log } from '../log.ts';
import { BindingDriver } from './binding-driver.ts';
import { type InWriteTurn, onBehalfOf, onNobodysBehalf, shareConnections } from './connection-shares.ts';
import type { Database } from './database.ts';
import { lockError } from './errors.ts';
import { PreparingClient } from './preparing-client.ts';
import { query, usePool } from './query.ts';
import type { RequestBounds } from './request-bounds.ts';
import { lostSettings, sessionSettingsOf } from './session-settings.ts';

export type DatabaseOptions = { url: string; poolMax: number; applicationName: string; log: Log; bounds?: RequestBounds };

const longWork = ({ longStatementMs }: RequestBounds) => [
  `set local statement_timeout = ${longStatementMs}`,
  'set local transaction_timeout = 0',
];

/** SQL: settings of the server and of the session, times in ms. */
const settingsStatement = `
  select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as room,
         (select json_object_agg(name, setting) from pg_settings where name = any($1::text[])) as found`;

type Settings = { room: number; found: Record<string, string> };

/** Throws when the server has too few connections; warns when a pooler has dropped the settings of the session. */
export async function checkConnections(database: Database, queueMax: number, poolMax: number, log: Log) {
  const wanted = poolMax + queueMax;
  const { sessionSettings } = database;
  const [row] = await query<Settings>(database.em(), settingsStatement, [Object.keys(sessionSettings)]);
  if (!row) return;
  if (row.room < wanted)
    throw new Error(`The database allows ${row.room} connections; this process alone wants up to ${wanted} (DATABASE_POOL_MAX)`);
  const lost = lostSettings(sessionSettings, row.found);
  if (lost.length > 0) log.warn({ lost }, 'sessions of the database lack settings: a pooler drops them (docs/pgbouncer.ini)');
}

/** A new connection plans each statement anew, about 30 ms of processor time for a claim: a burst must not open ten of them each time. */
const idleMs = 300_000;

export async function openDatabase(
  ormOptions: Options,
  { url, poolMax, applicationName, log, bounds }: DatabaseOptions,
): Promise<Database> {
  const made: { pool?: Pool; inWriteTurn?: InWriteTurn } = {};
  const sessionSettings = sessionSettingsOf(bounds);
  const { enable_seqscan, jit, plan_cache_mode, transaction_timeout, ...timeouts } = sessionSettings;
  // Not MikroORM.init(): it looks for extensions, and loads the migrator.
  const orm = new MikroORM({
    ...ormOptions,
    driver: BindingDriver,
    // Asked with the first record, by one connection more than the transaction it is written in has.
    ensureDatabase: false,
    clientUrl: url,
    pool: { min: 0, max: poolMax, idleTimeoutMillis: idleMs },
    logger: (message) => log.debug({ message }, 'database'),
    driverOptions: {
      Client: PreparingClient,
      application_name: applicationName,
      connectionTimeoutMillis: 5_000,
      ...timeouts,
      options: `-c enable_seqscan=${enable_seqscan} -c jit=${jit} -c plan_cache_mode=${plan_cache_mode} -c transaction_timeout=${transaction_timeout}`,
      keepAlive: true,
      onPoolCreated: (created: Pool) => {
        made.pool = created;
        if (bounds) made.inWriteTurn = shareConnections(created, bounds.share);
      },
    },
  });
  const connection = orm.em.getConnection();
  // Makes the pool without a connection: the server may be away.
  const kysely = connection.getClient();
  const pool = made.pool!;
  usePool(connection, pool);
  return {
    orm,
    pool,
    sessionSettings,
    em: () => orm.em.fork(),
    // Not em.transactional(): when its rollback fails, the connection never returns to the pool (MikroORM 7.2 on Kysely 0.29).
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
    inWriteTurn: made.inWriteTurn ?? ((write) => write()),
    onBehalfOf: bounds ? onBehalfOf : (_key, work) => work(),
    onNobodysBehalf: bounds ? onNobodysBehalf : (work) => work(),
    forLongWork: bounds ? longWork(bounds) : [],
    // SQL: asks only whether the database answers.
    ping: async () => void (await pool.query('select 1')),
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await orm.close();
      // Kysely ends only a pool it has used: a command that only reads would wait 10 s for the idle connection.
      if (!pool.ending) await pool.end();
    },
  };
}
