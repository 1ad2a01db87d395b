import { type BatchStatement, runBatch } from '../database/batch.ts';
import type { Database, Source } from '../database/database.ts';
import { isRowLocked, lockError, sqlStateOf } from '../database/errors.ts';
import { query } from '../database/query.ts';
import { type NewEvent, recordPart } from '../events/record.ts';
import { acceptPart, type Dispatched, dispatchedOf, type Inserted, type NewJob } from './accept.ts';
import { LocksOutdated } from './locks.ts';
import { RunOver, releasePart } from './release.ts';
import type { End, Part } from './tx.ts';

export type Entries = { ends: End[]; jobs: NewJob[]; events: NewEvent[]; parts: Part[] };
type Rest = Omit<Entries, 'ends'>;

const nothing: Rest = { jobs: [], events: [], parts: [] };
const isEmpty = ({ jobs, events, parts }: Rest) => jobs.length + events.length + parts.length === 0;

export async function writeLedger(source: Source, { ends, ...rest }: Entries): Promise<Dispatched> {
  const dispatched: Dispatched = { rows: [], pools: [] };
  const write = async (end: End | undefined, own: Rest) => {
    const more = await writeTogether(source, end, own);
    dispatched.rows.push(...more.rows);
    dispatched.pools.push(...more.pools);
  };
  const last = ends.at(-1);
  for (const end of ends.slice(0, -1)) await write(end, nothing);
  const isApart = last !== undefined && sharesLane(last, rest);
  if (isApart) await write(last, { ...nothing, parts: rest.parts });
  const others = isApart ? { ...rest, parts: [] } : rest;
  if ((last && !isApart) || !isEmpty(others)) await write(isApart ? undefined : last, others);
  return dispatched;
}

/** Nothing rolls back a single statement: each part must read from `ended`, to write nothing when that row is missing. */
export const fitsOneStatement = ({ ends, ...rest }: Entries) =>
  ends.length === 0 ||
  (ends.length === 1 &&
    rest.jobs.length + rest.events.length === 0 &&
    rest.parts.every(({ text }) => /\bfrom ended\b/.test(text)));

/** Parts share one snapshot: a new row would wait for the ending one, and the release would not see the new row. */
const sharesLane = ({ lane }: End, { jobs, events }: Rest) =>
  (events.length > 0 && lane?.startsWith('subject:')) ||
  jobs.some((job) => job.lane !== null && (lane === undefined || job.lane === lane));

/** Codes of `assert_that`. */
const [runOver, outdated] = ['KN001', 'KN002'];

function assertionError(error: unknown): never {
  const code = sqlStateOf(error);
  if (code === runOver) throw new RunOver();
  if (code === outdated) throw new LocksOutdated();
  throw error;
}

/** Locks, statement and commit in one round trip. The commit waits for nobody's look at the result: the statement asserts it. */
export async function writeAtOnce(database: Database, locks: BatchStatement[], { ends, ...rest }: Entries): Promise<Dispatched> {
  const [end] = ends;
  if (ends.length > 1 || (end && sharesLane(end, rest))) throw new Error('The transaction is not one statement');
  if (!end && isEmpty(rest)) return { rows: [], pools: [] };
  const results = await runBatch(database.pool, [...locks, composed(end, rest, true)])
    .catch(assertionError)
    .catch((error) => (isRowLocked(error) ? Promise.reject(error) : lockError(error)));
  return outcomeOf(results.at(-1) as Answer[]);
}

type Answer = { ended: number; pool: string | null; dispatched: Inserted[] };

async function writeTogether(source: Source, end: End | undefined, rest: Rest): Promise<Dispatched> {
  const { text, params } = composed(end, rest, false);
  const rows = await query<Answer>(source, text, params).catch(assertionError);
  if (end?.isRequired && rows[0]!.ended === 0) throw new RunOver();
  return outcomeOf(rows);
}

function composed(end: End | undefined, { jobs, events, parts }: Rest, isAtOnce: boolean): BatchStatement {
  const all: Part[] = [...parts];
  if (end) all.unshift({ text: releasePart(end.kind), params: end.params, dispatched: 'released' });
  if (jobs.length > 0) all.push({ text: acceptPart, params: [listOf(jobs)], dispatched: 'accepted' });
  if (events.length > 0) all.push({ text: recordPart, params: [listOf(events)], dispatched: 'announced' });
  return { text: statementOf(all, end, isAtOnce && end?.isRequired === true), params: all.flatMap((part) => part.params) };
}

function outcomeOf([row]: Answer[]): Dispatched {
  const dispatched = dispatchedOf(row!.dispatched);
  if (row!.pool && !dispatched.pools.includes(row!.pool)) dispatched.pools.push(row!.pool);
  return dispatched;
}

const listOf = (items: object[]) => JSON.stringify(items.map((item, ord) => ({ ord, ...item })));

const statements = new Map<string, string>();

/** SQL: the ledger's one statement (docs/decisions/0008-hot-paths.md). Few shapes, each composed once, so that each is prepared once. */
function statementOf(parts: Part[], end: End | undefined, mustEnd: boolean): string {
  const key = [mustEnd, ...parts.map(({ text }) => text)].join();
  const known = statements.get(key);
  if (known) return known;
  let before = 0;
  const texts = parts.map(({ text, params }) => {
    const placed = numberedFrom(before, text);
    before += params.length;
    return placed;
  });
  const outcome = end
    ? '(select count(*)::int from ended) as ended, (select pool from ended limit 1) as pool'
    : '0 as ended, null as pool';
  const rows = parts.flatMap(({ dispatched }) => (dispatched ? [`select * from ${dispatched}`] : [])).join(' union all ');
  const dispatched = rows ? `(select coalesce(jsonb_agg(h), '[]') from (${rows}) h)` : `'[]'::jsonb`;
  const asserted = parts.flatMap(({ assertion }) => (assertion ? [`assert_that(${assertion}, '${outdated}')`] : []));
  if (mustEnd) asserted.push(`assert_that(exists (select 1 from ended), '${runOver}')`);
  const text = `with ${texts.join(',')}
  select ${[outcome, `${dispatched} as dispatched`, ...asserted].join(', ')}`;
  statements.set(key, text);
  return text;
}

const numberedFrom = (before: number, text: string) =>
  text.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + before}`);
