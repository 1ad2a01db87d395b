import type pg from 'pg';

/** Memory for sorting; a crash loses the whole fill, so no commit waits for the disk; references are right by the way rows are made. */
const session = `
  set work_mem = '128MB';
  set maintenance_work_mem = '512MB';
  set synchronous_commit = off;
  set session_replication_role = replica`;

/** Works through the items in their order, a few connections at a time. */
export async function atOnce<Item>(
  pool: pg.Pool,
  connections: number,
  items: Item[],
  work: (client: pg.PoolClient, item: Item) => Promise<unknown>,
): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: Math.min(connections, items.length) }, async () => {
      const client = await pool.connect();
      try {
        await client.query(session);
        for (let item = left.shift(); item !== undefined; item = left.shift()) await work(client, item);
      } finally {
        // With its settings.
        client.release(true);
      }
    }),
  );
}
