import type { App } from './app.ts';

/** Processes write them by themselves, whatever is asked. */
const ofProcesses = ['heartbeats', 'purges'];

/** Every row of every table as text, and where every sequence stands: what a dump of the database holds. */
export async function wholeDump(app: Pick<App, 'rows'>): Promise<Record<string, string>> {
  const tables = await app.rows<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> all($1) order by 1`,
    [ofProcesses],
  );
  const parts = tables.map(
    ({ name }) => `select '${name}' as name, coalesce(string_agg(t::text, E'\\n' order by t::text), '') as text from "${name}" t`,
  );
  const sequences = `select 'sequence ' || sequencename as name, coalesce(last_value::text, '') as text from pg_sequences`;
  const found = await app.rows<{ name: string; text: string }>([...parts, sequences].join(' union all '));
  return Object.fromEntries(found.map(({ name, text }) => [name, text]));
}
