import type pg from 'pg';
import type { Tenant } from '../../tenant.ts';
import { peopleOf, type Sizes } from '../sizes.ts';
import { atOnce } from './at-once.ts';
import { chunkStatement } from './chunk.ts';
import { withoutIndexes } from './indexes.ts';
import { fillTenants } from './tenants.ts';

const filled = [
  'events',
  'webhook_deliveries',
  'webhook_attempts',
  'messages',
  'provider_webhooks',
  'contacts',
  'jobs',
  'contact_identities',
  'conversations',
  'idempotency_keys',
  'unmatched_statuses',
];
const chunk = 10_000;
const connections = 3;

export type Filled = {
  rows: { table: string; rows: number; mb: number }[];
  seconds: { rows: number; indexes: number };
  isWhole: boolean;
};

const lengths = `
  select c.relname as table, c.reltuples::float8 as rows, (pg_total_relation_size(c.oid) / 1048576)::float8 as mb
    from pg_class c
   where c.oid = any($1::regclass[])
   order by mb desc`;

/** Fills the database of `tenant`, whose organization becomes the largest. At `deadline` it goes on with the rows there are. */
export async function fill(pool: pg.Pool, tenant: Tenant, sizes: Sizes, deadline: number): Promise<Filled> {
  const startedAt = performance.now();
  const remake = await withoutIndexes(pool, filled, connections);
  await atOnce(pool, 1, [sizes], (client) => fillTenants(client, sizes, tenant));
  const statement = chunkStatement(sizes);
  const begins = Array.from({ length: Math.ceil(sizes.messages / chunk) }, (_, index) => index * chunk);
  let left = 0;
  await atOnce(pool, connections, begins, async (client, begin) => {
    if (performance.now() > deadline) left += 1;
    else await client.query(statement, [begin + 1, Math.min(begin + chunk, sizes.messages), sizes.messages, peopleOf(sizes)]);
  });
  await pool.query('drop schema fill cascade');
  const rowsAt = performance.now();
  console.error(`long: rows in ${Math.round((rowsAt - startedAt) / 1000)} s`);
  await remake();
  await pool.query('vacuum analyze');
  // What the fill left to write must not be written beside the first path.
  await pool.query('checkpoint');
  const { rows } = await pool.query<Filled['rows'][number]>(lengths, [filled]);
  const seconds = { rows: (rowsAt - startedAt) / 1000, indexes: (performance.now() - rowsAt) / 1000 };
  console.error(`long: indexes in ${Math.round(seconds.indexes)} s`);
  return { rows, seconds, isWhole: left === 0 };
}
