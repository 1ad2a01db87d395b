import { purges } from '../../src/platform/retention/purges.ts';
import { ledgerFindings } from '../ledger-check.ts';
import { measureInTurns } from '../measure.ts';
import type { Path } from '../path.ts';
import { paths } from '../paths/index.ts';
import { latency } from '../paths/latency.ts';
import { startUp } from '../paths/start-up.ts';
import type { Measured } from '../report.ts';
import { type BackendName, openStage, type Stage } from '../stage.ts';
import { type Chore, measureChores } from './chores.ts';
import { type Filled, fill } from './fill/fill.ts';
import { type Listed, measureLists } from './lists.ts';
import { measurePurges, type Purged } from './purges.ts';
import type { Sizes } from './sizes.ts';
import { longestStatements, type Statement, settings, watchStatements } from './statements.ts';

export type LongTables = {
  sizes: Sizes;
  filled: Filled;
  paths: Measured[];
  lists: Listed[];
  chores: Chore[];
  purged: Purged[];
  statements: Statement[];
  skipped: string[];
  /** Of `jobs check` in both databases, at the end. */
  findings: string[];
};

/** `only`: names of paths, `lists`, `chores`, `purges`; none: all. */
type Options = {
  backend: BackendName;
  sizes: Sizes;
  only: string[];
  rounds: number;
  seconds: number;
  count: number;
  minutes: number;
};

export const server = {
  ...settings,
  shared_buffers: '2GB',
  effective_cache_size: '8GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '15min',
  wal_level: 'minimal',
  max_wal_senders: '0',
  random_page_cost: '1.1',
};

/** Of its time, what the fill may take before it goes on with the rows there are. */
const fillShare = 0.35;

/** Kanal on a full database and on an empty one, asked in turns. */
export async function longTables({ backend, sizes, only, rounds, seconds, count, minutes }: Options): Promise<LongTables> {
  const startedAt = performance.now();
  const endsAt = (share: number) => startedAt + minutes * 60_000 * share;
  const stage = await openStage(backend, { settings: server, isTwin: true });
  /** What begins too late is left out and named. */
  const skipped: string[] = [];
  const step = async <Measured>(name: string, work: () => Promise<Measured[]>): Promise<Measured[]> => {
    if (only.length > 0 && !only.includes(name)) return [];
    if (performance.now() > endsAt(1)) {
      skipped.push(name);
      return [];
    }
    const began = performance.now();
    try {
      const measured = await work();
      console.error(`long: ${name} in ${Math.round((performance.now() - began) / 1000)} s`);
      return measured;
    } catch (error) {
      // What was measured before it took long to get.
      console.error(`long: ${name} failed`, error);
      skipped.push(`${name} (failed)`);
      return [];
    }
  };
  try {
    const filled = await fill(stage.kanal.sql, stage.kanal.tenant, sizes, endsAt(fillShare));
    for (const side of [stage.kanal, stage.floor]) await prepare(side);
    const measured: Measured[] = [];
    const measure = async (path: Path) => {
      measured.push(...(await step(path.name, async () => [await measureInTurns(path, stage, rounds, { seconds, count })])));
    };
    for (const path of paths.filter((one) => one !== startUp && one !== latency)) await measure(path);
    const lists = await step('lists', () => measureLists(stage));
    const chores = await step('chores', () => measureChores(stage));
    const purged = await step('purges', () => measurePurges(stage, sizes, Math.max(5, seconds * 4)));
    // Last: on a busy machine its emitter may not get through.
    await measure(latency);
    const statements = await longestStatements(stage.kanal.sql);
    const findings = [await ledgerFindings(stage.kanal, 'long'), await ledgerFindings(stage.floor, 'long')].flat();
    return { sizes, filled, paths: measured, lists, chores, purged, statements, skipped, findings };
  } finally {
    await stage.close();
  }
}

/** Old and new messages are asked for alike; no purge runs beside a path; the bench's statements are not counted. */
async function prepare({ sql, tenant }: Stage['kanal']) {
  const { rows } = await sql.query<{ id: string }>(
    `select id from messages where organization_id = $1 and provider_message_id is not null order by random() limit 20000`,
    [tenant.organizationId],
  );
  tenant.messageIds = rows.map(({ id }) => id);
  const names = `select unnest($1::text[]), clock_timestamp(), clock_timestamp() + interval '1 day'`;
  await sql.query(`insert into purges (table_name, started_at, next_at) ${names}`, [purges.map(({ table }) => table)]);
  await watchStatements(sql);
}
