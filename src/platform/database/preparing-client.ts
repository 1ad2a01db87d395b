import { hash } from 'node:crypto';
import pg from 'pg';

/** Statements a process keeps prepared; those beyond it are planned each time. */
const maxPrepared = 500;
const names = new Map<string, string>();

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known || names.size >= maxPrepared) return known;
  // From its text: behind a connection pooler another process's statement of the same name must be the same one.
  const name = `k${hash('sha1', text).slice(0, 16)}`;
  names.set(text, name);
  return name;
}

/**
 * Prepares each statement with parameters once a connection: the ledger's statements take longer to plan than to run, and the driver
 * prepares only statements with a name. For what keeps such a plan good see src/platform/ledger/states.ts and src/platform/database/open.ts.
 */
export class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's signature has nine shapes, of which this needs one
  override query(...[first, values, ...rest]: any[]): any {
    const name = typeof first === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(first) : undefined;
    const given = name ? [{ name, text: first, values }, ...rest] : [first, values, ...rest];
    return super.query(...(given as Parameters<pg.Client['query']>));
  }
}
