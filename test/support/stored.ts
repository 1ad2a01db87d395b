import type { App } from './app.ts';
import { waitFor } from './wait-for.ts';

/** What a refused request may change: when its credential was last used. */
const passing = 'last_used_at';

/** The statement over all tables, made once for each app: with a parameter it is prepared, and a hundred tables are planned once. */
const statements = new WeakMap<App, Promise<string>>();

async function statementFor(app: App): Promise<string> {
  const tables = await app.rows<{ name: string }>(
    `select table_name::text as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'
     and table_name not in ('heartbeats', 'purges') order by 1`,
  );
  const rows = tables.map(({ name }) => `select '${name} ' || (to_jsonb(t) - $1::text)::text as line from "${name}" t`);
  return `select md5(string_agg(line, e'\\n' order by line)) as state from (${rows.join(' union all ')}) as stored`;
}

/** Every row of every table, as a short text: the same before and after means that nothing was stored. */
export async function storedState(app: App): Promise<string> {
  const known = statements.get(app) ?? statementFor(app);
  statements.set(app, known);
  return (await app.one(await known, [passing])).state;
}

/** The same once it no longer changes: a process fills the pools of new records a moment after its reply. */
export async function stateAtRest(app: App): Promise<string> {
  let last = '';
  let same = 0;
  await waitFor('the stored state to rest', async () => {
    const state = await storedState(app);
    same = state === last ? same + 1 : 0;
    last = state;
    return same === 5;
  });
  return last;
}

const statementsOfOne = new WeakMap<App, Promise<string>>();

async function statementForOne(app: App): Promise<string> {
  const tables = await app.rows<{ name: string }>(
    `select table_name::text as name from information_schema.columns where table_schema = 'public' and column_name = 'organization_id' order by 1`,
  );
  const rows = tables.map(
    ({ name }) => `select '${name} ' || (to_jsonb(t) - $2::text)::text as line from "${name}" t where organization_id = $1`,
  );
  const owners = ['channel', 'webhook_endpoint'].map((kind) => `select id from ${kind}s where organization_id = $1`);
  rows.push(
    `select 'pools ' || to_jsonb(t)::text from pools t where split_part(id, ':', 2) in (select id::text from (${owners.join(' union ')}) o)`,
  );
  return `select string_agg(line, e'\\n' order by line) as state from (${rows.join(' union all ')}) as stored`;
}

/** All that one organization has, readable, so that a difference shows. */
export async function stateOf(app: App, organizationId: string): Promise<string> {
  const known = statementsOfOne.get(app) ?? statementForOne(app);
  statementsOfOne.set(app, known);
  return (await app.one(await known, [organizationId, passing])).state;
}
