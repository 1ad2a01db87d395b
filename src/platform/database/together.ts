import type { Pool } from 'pg';
import { type BatchStatement, runBatch } from './batch.ts';
import type { Own } from './own.ts';
import { runsThrough } from './statement.ts';

type Row = Record<string, unknown>;
type Asked = BatchStatement & { resolve(rows: Row[]): void; reject(error: unknown): void };

/** Reads outside a transaction: those that are asked for at once travel in one round trip. Each has a snapshot of its own, and its own error. */
export function together(pool: Pool, own: Own): Own {
  let waiting: Asked[] = [];
  const ask = (text: string, params: unknown[]) =>
    new Promise<Row[]>((resolve, reject) => {
      // Behind all that follows without an answer from outside.
      if (waiting.length === 0)
        setImmediate(() => {
          const asked = waiting;
          waiting = [];
          void answer(pool, asked);
        });
      waiting.push({ text, params, resolve, reject });
    });
  const compiled = runsThrough(ask as <Found>(text: string, values: unknown[]) => Promise<Found[]>, own.organizationId);
  return Object.assign(Object.create(own) as Own, compiled, {
    sql: (text: string, params: unknown[] = []) => ask(text, [own.organizationId, ...params]),
  });
}

async function answer(pool: Pool, asked: Asked[]): Promise<void> {
  try {
    const found = await runBatch(
      pool,
      asked.map(({ text, params }) => ({ text, params })),
    );
    for (const [index, { resolve }] of asked.entries()) resolve(found[index]!);
  } catch (error) {
    const isRefused = (error as { severity?: string }).severity === 'ERROR';
    if (asked.length === 1 || !isRefused) for (const { reject } of asked) reject(error);
    // One of them undid all.
    else for (const one of asked) await answer(pool, [one]);
  }
}
