import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** What test/support/global-setup.ts handed over. */
export function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the tests through jest`);
  return value;
}

async function asAdmin(statement: string) {
  const client = new pg.Client({ connectionString: setting('KANAL_TEST_POSTGRES_URL') });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

const isInUse = (error: unknown) => (error as { code?: string }).code === '55006';

/** A database of the test file's own, with all migrations and the queue's schema. Drop it after all connections of the file are closed. */
export async function createTestDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `kanal_test_${process.pid}_${randomBytes(6).toString('hex')}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await asAdmin(`create database ${name} template ${setting('KANAL_TEST_TEMPLATE')}`);
      break;
    } catch (error) {
      // Autovacuum may look into the template just then.
      if (!isInUse(error) || attempt === 20) throw error;
      await sleep(100);
    }
  }
  const url = new URL(setting('KANAL_TEST_POSTGRES_URL'));
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => asAdmin(`drop database if exists ${name} with (force)`) };
}
