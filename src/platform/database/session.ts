import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { slices } from '../load/slices.ts';
import type { Database } from './database.ts';

/** COPY needs the driver's own connection. It neither enqueues nor emits. */
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

export const copyLine = (values: (string | number | null)[]) =>
  `${values.map((value) => (value === null ? '\\N' : String(value).replace(special, (found) => escapes[found]!))).join('\t')}\n`;

/** About 64 KiB, what the socket takes at once. */
const pieceCharacters = 64 * 1024;

/** `target`: table and columns. Pauses between pieces for other work. */
export async function copyInto<Item>(
  client: PoolClient,
  target: string,
  items: Item[],
  linesOf: (item: Item) => string,
): Promise<void> {
  // SQL: COPY, which no builder knows.
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
