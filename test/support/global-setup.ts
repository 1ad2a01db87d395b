import pg from 'pg';
import globalTeardown from './global-teardown.ts';
import { migrateQueue, migrateTables } from './migrate.ts';
import { createPostgresServer, type PostgresServer } from './servers/postgres.ts';
import { createRedisServer, hasRedis } from './servers/redis.ts';

/** One PostgreSQL and, when there is a redis-server, one Redis for the whole run; a database a test file is cloned from the template. */
export default async function globalSetup() {
  const isRedisPresent = await hasRedis();
  if (!isRedisPresent && process.env.CI === 'true')
    throw new Error('No redis-server: in CI the queue tests run on both backends');
  const starting = Promise.allSettled([startPostgres(), startRedis(isRedisPresent)]);
  const servers = starting.then((all) => all.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : [])));
  Object.assign(globalThis, { kanalTestServers: servers });
  // A run that is interrupted gets no teardown from jest, one whose setup fails neither.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void globalTeardown().finally(() => process.exit(1)));
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
  const template = 'kanal_template';
  await migrateTables(server.url());
  process.env.KANAL_TEST_POSTGRES_COPY = await server.copy();
  const admin = new pg.Client({ connectionString: server.url() });
  await admin.connect();
  await admin.query(`create database ${template} template postgres`);
  await migrateQueue(server.url(template));
  // Nobody may be connected to a database while it is cloned.
  await admin.query(`alter database ${template} with is_template true allow_connections false`);
  await admin.end();
  process.env.KANAL_TEST_POSTGRES_URL = server.url();
  process.env.KANAL_TEST_TEMPLATE = template;
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
