import type { Source } from '../database/database.ts';
import { query } from '../database/query.ts';
import { type NewEvent, recordPart } from '../events/record.ts';
import { acceptPart, type Dispatched, dispatchedOf, type Inserted, type NewJob } from './accept.ts';
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

async function writeTogether(source: Source, end: End | undefined, { jobs, events, parts }: Rest): Promise<Dispatched> {
  const all: (Part & { dispatched?: string })[] = [...parts];
  if (end) all.unshift({ text: releasePart(end.kind), params: end.params, dispatched: 'released' });
  if (jobs.length > 0) all.push({ text: acceptPart, params: [listOf(jobs)], dispatched: 'accepted' });
  if (events.length > 0) all.push({ text: recordPart, params: [listOf(events)], dispatched: 'announced' });
  const params = all.flatMap((part) => part.params);
  const [row] = await query<{ ended: number; organization_id: string; pool: string | null; dispatched: Inserted[] }>(
    source,
    statementOf(all, end),
    params,
  );
  if (end?.isRequired && row!.ended === 0) throw new RunOver();
  const dispatched = dispatchedOf(row!.dispatched);
  const { pool, organization_id } = row!;
  if (pool && !dispatched.pools.some(({ id }) => id === pool)) dispatched.pools.push({ organization_id, id: pool });
  return dispatched;
}

const listOf = (items: object[]) => JSON.stringify(items.map((item, ord) => ({ ord, ...item })));

const statements = new Map<string, string>();

/** SQL: the ledger's one statement (docs/decisions/0008-hot-paths.md). Few shapes, each composed once, so that each is prepared once. */
function statementOf(parts: (Part & { dispatched?: string })[], end: End | undefined): string {
  const key = parts.map(({ text }) => text).join();
  const known = statements.get(key);
  if (known) return known;
  let before = 0;
  const texts = parts.map(({ text, params }) => {
    const placed = numberedFrom(before, text);
    before += params.length;
    return placed;
  });
  const outcome = end
    ? '(select count(*)::int from ended) as ended, (select pool from ended limit 1) as pool, (select organization_id from ended limit 1) as organization_id'
    : '0 as ended, null as pool, null as organization_id';
  const rows = parts.flatMap(({ dispatched }) => (dispatched ? [`select * from ${dispatched}`] : [])).join(' union all ');
  const dispatched = rows ? `(select coalesce(jsonb_agg(h), '[]') from (${rows}) h)` : `'[]'::jsonb`;
  const text = `with ${texts.join(',')}
  select ${outcome}, ${dispatched} as dispatched`;
  statements.set(key, text);
  return text;
}

const numberedFrom = (before: number, text: string) =>
  text.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) + before}`);
