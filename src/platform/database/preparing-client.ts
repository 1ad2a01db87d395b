import { hash } from 'node:crypto';
import pg from 'pg';

const maxPrepared = 500;
const names = new Map<string, string>();

export function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known || names.size >= maxPrepared) return known;
  // Made from the text: behind a connection pooler, one name must mean the same text in every process.
  const name = `k${hash('sha1', text).slice(0, 16)}`;
  names.set(text, name);
  return name;
}

/** The ledger's statements take longer to plan than to run; the driver prepares only named ones (ledger/states.ts, open.ts). */
export class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's signature has nine shapes, of which this needs one
  override query(...[first, values, ...rest]: any[]): any {
    const name = typeof first === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(first) : undefined;
    const given = name ? [{ name, text: first, values }, ...rest] : [first, values, ...rest];
    return super.query(...(given as Parameters<pg.Client['query']>));
  }
}
