import { hash } from 'node:crypto';
import pg from 'pg';

/** Statements a process may keep prepared; what is built at run time in more shapes than that is planned each time, as before. */
const most = 500;
const names = new Map<string, string>();

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known || names.size >= most) return known;
  // By its text: behind a pooler of connections another process's statement of the same name must be the same one.
  const name = `k${hash('sha1', text).slice(0, 16)}`;
  names.set(text, name);
  return name;
}

/**
 * Prepares each statement with parameters once a connection: the ledger's statements take longer to plan than to run, and the driver
 * prepares only what has a name. What a plan made once must not depend on stands in src/platform/ledger/states.ts and src/platform/database/open.ts.
 */
export class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own signature has nine shapes, of which one is looked at
  override query(...[first, values, ...rest]: any[]): any {
    const name = typeof first === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(first) : undefined;
    const given = name ? [{ name, text: first, values }, ...rest] : [first, values, ...rest];
    return super.query(...(given as Parameters<pg.Client['query']>));
  }
}
