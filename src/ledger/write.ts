import { type Em, query } from '../database.ts';
import { type NewEvent, recordPart } from '../events/record.ts';
import { acceptPart, type Handed, handedOf, type Inserted, type NewJob } from './accept.ts';
import { type End, RunOver, releasePart } from './release.ts';

export type Entries = { ends: End[]; jobs: NewJob[]; events: NewEvent[] };

type Written = { ended: number; pool: string | null; handed: Inserted[] };

/** All that a transaction leaves in the ledger, in one statement where it can be. */
export async function writeLedger(em: Em, { ends, jobs, events }: Entries): Promise<Handed> {
  const handed: Handed = { rows: [], pools: [] };
  const write = async (end: End | undefined, own: Omit<Entries, 'ends'>) => {
    const more = await writeOnce(em, end, own);
    handed.rows.push(...more.rows);
    handed.pools.push(...more.pools);
  };
  const last = ends.at(-1);
  for (const end of ends.slice(0, -1)) await write(end, { jobs: [], events: [] });
  const isApart = last && sharesLane(last, { jobs, events });
  if (isApart) await write(last, { jobs: [], events: [] });
  const rest = isApart ? undefined : last;
  if (rest || jobs.length > 0 || events.length > 0) await write(rest, { jobs, events });
  return handed;
}

/**
 * The parts of one statement share one snapshot: a row born behind the one that ends would see it alive and wait, and the lane's next be
 * looked for before it was there. Events are born in lanes of subjects.
 */
const sharesLane = ({ lane }: End, { jobs, events }: Omit<Entries, 'ends'>) =>
  (events.length > 0 && lane?.startsWith('subject:')) ||
  jobs.some((job) => job.lane !== null && (lane === undefined || job.lane === lane));

async function writeOnce(em: Em, end: End | undefined, { jobs, events }: Omit<Entries, 'ends'>): Promise<Handed> {
  const params = [...(end?.params ?? [])];
  if (jobs.length > 0) params.push(JSON.stringify(jobs.map((job, ord) => ({ ord, ...job }))));
  if (events.length > 0) params.push(JSON.stringify(events.map((event, ord) => ({ ord, ...event }))));
  const [row] = await query<Written>(em, statementOf(end, jobs.length > 0, events.length > 0), params);
  if (end?.isRequired && row!.ended === 0) throw new RunOver();
  const handed = handedOf(row!.handed);
  if (row!.pool && !handed.pools.includes(row!.pool)) handed.pools.push(row!.pool);
  return handed;
}

const statements = new Map<string, string>();

function statementOf(end: End | undefined, hasJobs: boolean, hasEvents: boolean): string {
  const key = `${end?.kind} ${hasJobs} ${hasEvents}`;
  const known = statements.get(key);
  if (known) return known;
  let param = end?.params.length ?? 0;
  const parts: string[] = [];
  const rows: string[] = [];
  const add = (part: string, name: string) => {
    parts.push(part);
    rows.push(`select * from ${name}`);
  };
  if (end) add(releasePart(end.kind), 'released');
  if (hasJobs) add(acceptPart(++param), 'accepted');
  if (hasEvents) add(recordPart(++param), 'announced');
  const outcome = end
    ? '(select count(*)::int from ended) as ended, (select pool from ended limit 1) as pool'
    : '0 as ended, null as pool';
  const text = `with ${parts.join(',')}\n select ${outcome}, (select coalesce(jsonb_agg(h), '[]') from (${rows.join(' union all ')}) h) as handed`;
  statements.set(key, text);
  return text;
}
