import pg from 'pg';
import { templates } from './database.ts';
import globalTeardown from './global-teardown.ts';
import { migrateQueue, migrateTables } from './migrate.ts';
import { createPostgresServer, type PostgresServer } from './servers/postgres.ts';
import { createRedisServer, hasRedis } from './servers/redis.ts';
import { createToyTables } from './toy-tables.ts';

/** One PostgreSQL and, when there is a redis-server, one Redis for the whole run; a database a test file is cloned from the template. */
export default async function globalSetup() {
  const isRedisPresent = await hasRedis();
  if (!isRedisPresent && process.env.CI === 'true')
    throw new Error('No redis-server: in CI the queue tests run on both backends');
  const starting = Promise.allSettled([startPostgres(), startRedis(isRedisPresent)]);
  const servers = starting.then((all) => all.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : [])));
  Object.assign(globalThis, { kanalTestServers: servers });
  // Jest runs no teardown when it is stopped or its setup fails. The channel to the runner closes when the runner is killed.
  for (const event of ['SIGINT', 'SIGTERM', 'disconnect'])
    process.once(event, () => void globalTeardown().finally(() => process.exit(1)));
  process.channel?.unref();
  for (const each of await starting) {
    if (each.status === 'rejected') {
      await globalTeardown();
      throw each.reason;
    }
  }
}

async function startPostgres() {
  const server = await createPostgresServer();
  try {
    await makeTemplate(server);
  } catch (error) {
    await server.remove();
    throw error;
  }
  return server;
}

async function makeTemplate(server: PostgresServer) {
  await migrateTables(server.url());
  process.env.KANAL_TEST_POSTGRES_COPY = await server.copy();
  const admin = new pg.Client({ connectionString: server.url() });
  await admin.connect();
  await admin.query(`create database ${templates.product} template postgres`);
  await migrateQueue(server.url(templates.product));
  await admin.query(`create database ${templates.toys} template ${templates.product}`);
  await createToyTables(server.url(templates.toys));
  // A database with a connection cannot be cloned.
  for (const name of Object.values(templates))
    await admin.query(`alter database ${name} with is_template true allow_connections false`);
  await admin.end();
  process.env.KANAL_TEST_POSTGRES_URL = server.url();
}

async function startRedis(isPresent: boolean) {
  if (!isPresent) {
    console.warn('\nNo redis-server found: the queue tests run on PostgreSQL only.');
    return undefined;
  }
  const server = await createRedisServer();
  process.env.KANAL_TEST_REDIS_URL = server.url(0);
  return server;
}
