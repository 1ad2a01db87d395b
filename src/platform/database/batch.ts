import type { Pool, PoolClient } from 'pg';

export type BatchStatement = { text: string; params: unknown[] };
type Row = Record<string, unknown>;

/** pg's types call it read-only; the client reads it before each statement. */
type Pipelining = Omit<PoolClient, 'pipeline'> & { pipeline: boolean };

/**
 * Several statements in one round trip and one transaction; an error in one undoes all. Each has its own snapshot: what follows
 * a lock is younger than the wait for it. Nobody reads a result before the commit. The rows of each statement.
 */
export async function runBatch(pool: Pool, statements: BatchStatement[]): Promise<Row[][]> {
  const client: Pipelining = await pool.connect();
  client.pipeline = true;
  const sent = [
    client.query('begin'),
    ...statements.map(({ text, params }) => client.query(text, params)),
    client.query('commit'),
  ];
  const settled = await Promise.allSettled(sent);
  client.pipeline = false;
  client.release();
  // After an error PostgreSQL refuses the rest, and its commit is a rollback.
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  const results = await Promise.all(sent);
  return results.slice(1, -1).map(({ rows }) => rows);
}
