import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Database } from '../../platform/database/database.ts';
import { slices } from '../../platform/load/slices.ts';

/** One transaction on the driver's own connection, which only COPY needs. It neither enqueues nor emits. */
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

/** Some 64 KiB a piece: what the socket takes at once. */
const pieceCharacters = 64 * 1024;

/** Copies items into a table, each as lines of COPY's text format: `target` is its name and columns. Other work has its turn meanwhile. */
export async function copyInto<Item>(
  client: PoolClient,
  target: string,
  items: Item[],
  linesOf: (item: Item) => string,
): Promise<void> {
  await pipeline(Readable.from(pieces(items, linesOf)), client.query(copyFrom(`copy ${target} from stdin`)));
}

async function* pieces<Item>(items: Item[], linesOf: (item: Item) => string): AsyncGenerator<Buffer> {
  const pause = slices();
  let text = '';
  for (const item of items) {
    text += linesOf(item);
    await pause();
    if (text.length < pieceCharacters) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
