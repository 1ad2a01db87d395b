import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Database } from '../../database.ts';

/** One transaction on the driver's own connection: COPY needs it, and nobody else does. It neither enqueues nor emits. */
export async function inSession<Result>(database: Database, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await database.pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((fault) => {
      broken = fault;
    });
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

const special = /[\\\n\r\t]/g;
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A line in COPY's text format. */
export const copyLine = (values: (string | number | null)[]) =>
  `${values.map((value) => (value === null ? '\\N' : String(value).replace(special, (found) => escapes[found]!))).join('\t')}\n`;

/** Copies lines of COPY's text format into a table: `target` is its name and columns. */
export async function copyInto(client: PoolClient, target: string, lines: string[]): Promise<void> {
  await pipeline(Readable.from([Buffer.from(lines.join(''))]), client.query(copyFrom(`copy ${target} from stdin`)));
}
