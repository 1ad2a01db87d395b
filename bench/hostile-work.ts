import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { endStatements } from './hostile-ends.ts';
import { untilReady } from './processes.ts';
import { takeAway } from './take-away.ts';

const looks = 20;
const longestCalmMs = 60_000;

/**
 * What a hostile round left behind must not be in the calm one after it: its jobs, its files, and transactions that would go on for minutes.
 * A transaction of somebody else that is as old is ended too; none of the bench's is. False: something holds on to them.
 */
export async function takeHostileWorkAway(sql: pg.Pool, organizationIds: string[]): Promise<boolean> {
  for (let look = 0; look < looks; look += 1) {
    await sql.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name in ('kanal-web', 'kanal-worker') and xact_start < clock_timestamp() - interval '500 ms'`,
    );
    if (await isDoneWithoutWaiting(sql, (client) => takeAllAway(client, organizationIds))) return true;
  }
  return false;
}

async function takeAllAway(client: pg.PoolClient, organizationIds: string[]) {
  await client.query(
    `update contact_imports set state = 'failed', finished_at = clock_timestamp()
      where organization_id = any($1) and state = 'uploading'`,
    [organizationIds],
  );
  await takeAway(client, 'organization_id = any($1)', [organizationIds]);
  for (const statement of endStatements) await client.query(statement, [organizationIds]);
}

/** What the bench put beside the tenant's own work. False: something holds on to it. */
export async function takeAwayWithoutWaiting(sql: pg.Pool, condition: string, params: unknown[]): Promise<boolean> {
  for (let look = 0; look < looks; look += 1)
    if (await isDoneWithoutWaiting(sql, (client) => takeAway(client, condition, params))) return true;
  return false;
}

async function isDoneWithoutWaiting(sql: pg.Pool, work: (client: pg.PoolClient) => Promise<unknown>): Promise<boolean> {
  const client = await sql.connect();
  try {
    await client.query(`begin; set local lock_timeout = '500ms'`);
    await work(client);
    await client.query('commit');
    return true;
  } catch {
    await client.query('rollback');
    return false;
  } finally {
    client.release();
  }
}

/** The tenant's own work has ended and the API answers at once, several times. False: not after a minute. */
export async function isCalm(sql: pg.Pool, organizationId: string, base: string): Promise<boolean> {
  let quick = 0;
  for (const until = Date.now() + longestCalmMs; Date.now() < until && quick < 5; ) {
    const ms = await untilReady(`${base}/readyz`).catch(() => Number.POSITIVE_INFINITY);
    const { rows } = await sql.query(
      `select exists (select 1 from jobs where organization_id = $1 and state in ('blocked', 'waiting', 'queued')) as is_open`,
      [organizationId],
    );
    quick = ms < 100 && !rows[0].is_open ? quick + 1 : 0;
    await sleep(100);
  }
  return quick >= 5;
}
