import { type BatchStatement, runBatch, runTwoBatches } from '../database/batch.ts';
import type { Database, Source } from '../database/database.ts';
import { assertionCodes, lockError, sqlStateOf } from '../database/errors.ts';
import { query } from '../database/query.ts';
import { isStillUnheard, type NewEvent, recordPart, recordUnheardPart } from '../events/record.ts';
import { bindTo } from '../listing/bind.ts';
import {
  acceptOnePart,
  acceptPart,
  type Dispatched,
  dispatchedOf,
  distinctPools,
  type Inserted,
  type NewJob,
  nothingDispatched,
  type PoolRef,
  paramsOfOne,
} from './accept.ts';
import { HeardMeanwhile, isEventLane, LocksOutdated, lockBatch } from './locks.ts';
import type { Part, PartText } from './part.ts';
import { endPart, RunOver } from './release.ts';
import type { End } from './tx.ts';

/** `first`: statements before the ledger's own, where one round trip is the whole transaction. */
export type Entries = { first: BatchStatement[]; ends: End[]; jobs: NewJob[]; events: NewEvent[]; parts: Part[] };
type Rest = Omit<Entries, 'first' | 'ends'>;
/** `given`: the row of each part that gives one, by its name. */
export type Written = { dispatched: Dispatched; given: Map<string, unknown> };

const nothing: Rest = { jobs: [], events: [], parts: [] };
const isEmpty = ({ jobs, events, parts }: Rest) => jobs.length + events.length + parts.length === 0;

/** Within a transaction: one statement, or more where an end and a new row share a lane. */
export async function writeLedger(source: Source, { first: _, ends, ...rest }: Entries): Promise<Written> {
  const written: Written = { dispatched: nothingDispatched(), given: new Map() };
  const write = async (end: End | undefined, own: Rest) => {
    const { text, params } = statementOf(end, own);
    const [row] = await query<Outcome>(source, text, params).catch(assertionError);
    const { dispatched, given } = readOutcome(row!, end, own);
    written.dispatched.rows.push(...dispatched.rows);
    written.dispatched.pools.push(...dispatched.pools);
    written.dispatched.joined.push(...dispatched.joined);
    for (const [name, value] of given) written.given.set(name, value);
  };
  const last = ends.at(-1);
  for (const end of ends.slice(0, -1)) await write(end, nothing);
  const isApart = last !== undefined && sharesLane(last, rest);
  if (isApart && rest.parts.some(({ gives }) => gives))
    throw new Error('What a part gives cannot be asked for in another statement');
  if (isApart) await write(last, { ...nothing, parts: rest.parts });
  const others = isApart ? { ...rest, parts: [] } : rest;
  if ((last && !isApart) || !isEmpty(others)) await write(isApart ? undefined : last, others);
  return written;
}

/** The locks, what comes first and the one statement, in one round trip that is the whole transaction. */
export async function writeInOneTrip(
  database: Database,
  locks: Iterable<string>,
  { first, ends, ...rest }: Entries,
): Promise<Written> {
  const [end] = ends;
  if (!end && isEmpty(rest) && first.length === 0) return { dispatched: nothingDispatched(), given: new Map() };
  const statement = statementOf(end, rest);
  const before = lockBatch(locks);
  const own = [...before, ...first, statement];
  const written =
    own.length === 1
      ? alone(database, statement)
      : runBatch(database.pool, own).then(
          (rows) => rows.at(-1)![0],
          (error) => (error.step < before.length ? lockError(error) : Promise.reject(error)),
        );
  return readOutcome((await written.catch(assertionError)) as Outcome, end, rest);
}

/** One round trip more of the same transaction: the `last` statement is made of what was written. `claims` run under the locks. */
export async function writeInTwoTrips(
  database: Database,
  locks: Iterable<string>,
  claims: BatchStatement[],
  { first, ends, ...rest }: Entries,
  last: (written: Written) => BatchStatement | Promise<BatchStatement>,
): Promise<void> {
  const [end] = ends;
  const before = [...lockBatch(locks), ...claims];
  await runTwoBatches(database.pool, [...before, ...first, statementOf(end, rest)], (rows) =>
    last(readOutcome(rows.at(-1)![0] as Outcome, end, rest)),
  )
    .catch((error) => (error.step < before.length ? lockError(error) : Promise.reject(error)))
    .catch(assertionError);
}

const alone = async (database: Database, { text, params }: BatchStatement) => (await query<Outcome>(database, text, params))[0];

/** Nothing undoes a statement: what is written with an end, or with a part that must give a row, is nothing without it. */
export const fitsOneTrip = ({ ends, ...rest }: Entries) =>
  (ends.length === 0 && (rest.parts.length < 2 || !rest.parts.some(({ gives }) => gives))) ||
  (ends.length === 1 &&
    !sharesLane(ends[0]!, rest) &&
    (ends[0]!.isAsserted || rest.parts.every(({ onlyWithEnd }) => onlyWithEnd)));

/** Parts share one snapshot: a new row would wait for the ending one, and the release would not see the new row. */
const sharesLane = ({ lane }: End, { jobs, events }: Rest) =>
  (events.length > 0 && typeof lane === 'string' && isEventLane(lane)) ||
  jobs.some((job) => job.lane !== null && (lane === undefined || job.lane === lane));

type Outcome = { ended: number; pool: PoolRef | null; dispatched: Inserted[]; given: Record<string, unknown> };

function readOutcome(row: Outcome, end: End | undefined, { parts }: Rest): Written {
  if (end?.isRequired && row.ended === 0) throw new RunOver();
  const dispatched = dispatchedOf(row.dispatched);
  if (row.pool) dispatched.pools = distinctPools([...dispatched.pools, row.pool]);
  const names = parts.flatMap(({ gives }) => gives ?? []);
  return { dispatched, given: new Map(names.map((name) => [name, row.given[name] ?? undefined])) };
}

const { runOver, outdated, heard } = assertionCodes;

export function assertionError(error: unknown): never {
  const code = sqlStateOf(error);
  if (code === runOver) throw new RunOver();
  if (code === outdated) throw new LocksOutdated();
  if (code === heard) throw new HeardMeanwhile();
  throw error;
}

/** Made once for each condition, of which there are few. */
function madeOnce(make: (condition: string) => PartText): (condition: string) => PartText {
  const made = new Map<string, PartText>();
  return (condition) => {
    const text = made.get(condition) ?? make(condition);
    made.set(condition, text);
    return text;
  };
}
const madeTexts = {
  accept: madeOnce(acceptPart),
  acceptOne: madeOnce(acceptOnePart),
  record: madeOnce(recordPart),
  recordUnheard: madeOnce(recordUnheardPart),
};

function statementOf(end: End | undefined, { jobs, events, parts }: Rest): BatchStatement {
  const condition = conditionOf(end, parts);
  const all = [...parts];
  if (end) all.unshift(endPart(end));
  if (jobs.length === 1)
    all.push({ text: madeTexts.acceptOne(condition), params: paramsOfOne(jobs[0]!), dispatched: 'accepted' });
  else if (jobs.length > 0) all.push({ text: madeTexts.accept(condition), params: [listOf(jobs)], dispatched: 'accepted' });
  if (events.some((event) => event.is_heard))
    all.push({ text: madeTexts.record(condition), params: [listOf(events)], dispatched: 'announced' });
  else if (events.length > 0)
    all.push({ text: madeTexts.recordUnheard(condition), params: [listOf(events)], assertion: isStillUnheard, code: heard });
  return { text: textOf(all, end), params: all.flatMap((part) => part.params) };
}

/** Jobs and events are written only with what they follow from. */
function conditionOf(end: End | undefined, parts: Part[]): string {
  const needed = [...(end?.isRequired ? ['ended'] : []), ...parts.flatMap(({ gives }) => gives ?? [])];
  return needed.length === 0 ? '' : ` where ${needed.map((name) => `exists (select 1 from ${name})`).join(' and ')}`;
}

const listOf = (items: object[]) => JSON.stringify(items.map((item, ord) => ({ ord, ...item })));

/** The statement of some parts, and what follows with one more: composed anew, a text of 4 kB would be hashed anew in each write. */
type Form = { text?: string; followers: WeakMap<PartText, Form> };
const newForm = (): Form => ({ followers: new WeakMap() });
const forms = { plain: newForm(), asserted: newForm() };

function formOf(parts: Part[], end: End | undefined): Form {
  let form = end?.isAsserted ? forms.asserted : forms.plain;
  for (const { text, assertion } of parts) {
    form = followerOf(form, text);
    if (assertion) form = followerOf(form, assertion);
  }
  return form;
}

function followerOf({ followers }: Form, text: PartText): Form {
  const known = followers.get(text);
  if (known) return known;
  const made = newForm();
  followers.set(text, made);
  return made;
}

const newRows = new Set(['accepted', 'announced']);

/** A fill is asked for where somebody waits for the room; who comes later asks for it too. */
const freedPool = `
  (select jsonb_build_object('organization_id', e.organization_id, 'id', e.pool)
     from ended e
    where e.pool like 'shared:%'
       or (select 1
             from jobs w
            where w.organization_id = e.organization_id and w.pool = e.pool and w.state = 'waiting'
            limit 1) is not null
    limit 1)`;

/** Few forms, each composed once, so that each is prepared once. */
function textOf(parts: Part[], end: End | undefined): string {
  const form = formOf(parts, end);
  form.text ??= composed(parts, end);
  return form.text;
}

/** SQL: the ledger's one statement (docs/decisions/0008-hot-paths.md). */
function composed(parts: Part[], end: End | undefined): string {
  const place = bindTo([]);
  const placed = parts.map(({ text, assertion, code = outdated, params }) => {
    const places = params.map(place);
    return { text: text(...places), assertion: assertion?.(...places), code };
  });
  const outcome = end ? `(select count(*)::int from ended) as ended, ${freedPool} as pool` : '0 as ended, null as pool';
  const rows = parts
    .flatMap(({ dispatched: name }) => (name ? [`select *, ${newRows.has(name)} as is_new from ${name}`] : []))
    .join(' union all ');
  const dispatched = rows ? `(select coalesce(jsonb_agg(h), '[]') from (${rows}) h)` : `'[]'::jsonb`;
  const names = parts.flatMap(({ gives }) => gives ?? []);
  const given = names.map((name) => `'${name}', (select to_jsonb(g) from ${name} g limit 1)`).join(', ');
  const asserted = placed.flatMap(({ assertion, code }) => (assertion ? [`assert_that(${assertion}, '${code}')`] : []));
  if (end?.isAsserted) asserted.push(`assert_that(exists (select 1 from ended), '${runOver}')`);
  const columns = [outcome, `${dispatched} as dispatched`, `jsonb_build_object(${given}) as given`, ...asserted];
  const sets = placed.map(({ text }) => text);
  return `${sets.length > 0 ? `with ${sets.join(',')}` : ''}
  select ${columns.join(', ')}`;
}
