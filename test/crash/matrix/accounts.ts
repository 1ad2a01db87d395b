import { expect } from '@jest/globals';
import { query } from '../../../src/platform/database/query.ts';
import { firstIdAt } from '../../../src/platform/ids.ts';
import type { Stack } from '../stack.ts';
import type { Fault } from './faults.ts';
import { type Arrival, isChosen, type Receiver } from './receivers.ts';

export type Endpoint = { id: string; receiver: Receiver };
/** `events`: all that the endpoint was promised; `middle`: what was accepted before it was cancelled where the receiver is down. */
export type Promised = { events: string[]; faults: Fault[]; middle: Date };

type Delivery = { id: string; event_id: string; state: string; attempts: number };
/** `at`: when it was written, in ms. */
type Attempt = { delivery_id: string; number: number; status: number | null; at: number };

export type Account = {
  kind: string;
  accepted: number;
  delivered: string[];
  failed: string[];
  pending: string[];
  held: string[];
  cancelled: string[];
  arrivals: number;
  /** Arrivals whose answer is in no attempt. */
  lost: number;
  /** Arrivals that were answered with 200 after another one was. */
  duplicates: number;
  /** How long after the end of a fault what it lost arrived, at the most, in ms: how near `afterMs` is. */
  lateMs: number;
};

/** Runs of an endpoint at once: as many answers can one fault lose. */
const width = 10;
/** An attempt takes a second at most, and its answer is written within another; a receiver on a busy machine hears late. */
const beforeMs = 3_000;
/**
 * After a fault: of a killed worker what was sent before it. While the database comes back answers find no connection. Of an emptied queue a
 * row is given out again, perhaps beside its run that goes on.
 */
const afterMs: Record<Fault['kind'], number> = { worker: 500, workers: 500, database: 3_000, queue: 3_000 };

const isExcused = ({ at }: Arrival, faults: Fault[]) =>
  faults.some(({ kind, from, until }) => at >= from - beforeMs && at <= until + afterMs[kind]);

/** Of arrivals, how long after the end of the nearest fault that may have lost their answers, in ms; the nearest first. */
const afterFaults = (arrivals: Arrival[], faults: Fault[]) =>
  arrivals
    .map(({ at }) => Math.min(...faults.filter(({ from }) => at >= from - beforeMs).map(({ until }) => Math.max(0, at - until))))
    .sort((one, other) => one - other);

/** What became of each delivery, compared with what the receiver saw. */
export async function accountOf(stack: Stack, { id, receiver }: Endpoint, { events, faults, middle }: Promised) {
  const em = stack.database.em();
  const rows = await query<Delivery>(em, 'select id, event_id, state, attempts from webhook_deliveries where endpoint_id = $1', [
    id,
  ]);
  const tries = await query<Attempt>(
    em,
    `select delivery_id, number, status, floor(extract(epoch from created_at) * 1000)::float8 as at
       from webhook_attempts
      where endpoint_id = $1
      order by number`,
    [id],
  );
  const [{ is_held: isHeld } = { is_held: false }] = await query<{ is_held: boolean }>(
    em,
    `select coalesce(held_until > now(), false) as is_held from pools where id = 'endpoint:' || $1::text`,
    [id],
  );
  const byState = Map.groupBy(rows, ({ state }) => state);
  const inState = (state: string) => (byState.get(state) ?? []).map(({ event_id }) => event_id).sort();
  const account: Account = {
    kind: receiver.kind,
    accepted: events.length,
    delivered: inState('succeeded'),
    failed: inState('failed'),
    pending: isHeld ? [] : inState('pending'),
    held: isHeld ? inState('pending') : [],
    cancelled: inState('cancelled'),
    arrivals: receiver.arrivals.length,
    lost: 0,
    duplicates: 0,
    lateMs: 0,
  };
  const { delivered, failed, pending, held, cancelled } = account;
  expect([...delivered, ...failed, ...pending, ...held, ...cancelled].sort()).toEqual(events.toSorted());

  const attempts = Map.groupBy(tries, (attempt) => attempt.delivery_id);
  const arrivals = Map.groupBy(receiver.arrivals, ({ event }) => event);
  const wrong: string[] = [];
  for (const delivery of rows) {
    const seen = arrivals.get(delivery.event_id) ?? [];
    const logged = attempts.get(delivery.id) ?? [];
    const faultsOf = compare(delivery, logged, seen, faults, account);
    if (faultsOf.length > 0) wrong.push(describe(delivery, faultsOf, { logged, seen, faults }));
  }
  expect({ kind: receiver.kind, total: wrong.length, wrong: wrong.slice(0, 5) }).toEqual({
    kind: receiver.kind,
    total: 0,
    wrong: [],
  });
  expect(account.lost).toBeLessThanOrEqual(width * faults.length);
  expect(receiver.faults).toEqual([]);
  expect([...arrivals.keys()].filter((event) => !new Set(events).has(event))).toEqual([]);
  expectOutcome(account, rows, events, middle);
  return account;
}

type Evidence = { logged: Attempt[]; seen: Arrival[]; faults: Fault[] };

/** One line, with all that explains it, in ms after the first fault: of a run elsewhere perhaps nothing else is kept. */
function describe({ event_id, state }: Delivery, faultsOf: string[], { logged, seen, faults }: Evidence): string {
  const zero = faults[0]?.from ?? 0;
  const tries = logged.map(({ number, status, at }) => `${number}: ${status} at ${at - zero}`);
  const came = seen.map(({ answer, at }) => `${answer} at ${at - zero}`);
  const struck = faults.map(({ kind, from, until }) => `${kind} ${from - zero}-${until - zero}`);
  return `${faultsOf.join(', ')}: ${event_id} ${state}; logged ${tries.join(', ')}; seen ${came.join(', ')}; ${struck.join(', ')}`;
}

/** What is wrong with one delivery; adds what it lost to the account. */
function compare(delivery: Delivery, attempts: Attempt[], arrivals: Arrival[], faults: Fault[], account: Account): string[] {
  const wrong: string[] = [];
  const first = delivery.attempts - attempts.length + 1;
  // A delivery that is recovered had ten attempts, long ago.
  if (first !== 1 && first !== 11) wrong.push('an attempt is missing from the log');
  if (attempts.some(({ number }, place) => number !== first + place)) wrong.push('the numbers of the attempts have a gap');

  const answeredWith = (answer: Arrival['answer']) => arrivals.filter((arrival) => arrival.answer === answer).length;
  const loggedWith = (status: number | null) => attempts.filter((attempt) => attempt.status === status).length;
  for (const status of [200, 410, 429, 500])
    if (loggedWith(status) > answeredWith(status)) wrong.push(`an attempt with ${status} that the receiver did not see`);
  if (loggedWith(200) !== (delivery.state === 'succeeded' ? 1 : 0)) wrong.push(`${loggedWith(200)} successful attempts`);

  const lost = Math.max(0, arrivals.length - attempts.length);
  if (arrivals.filter((arrival) => isExcused(arrival, faults)).length < lost) wrong.push('an answer lost without a fault');
  const duplicates = Math.max(0, answeredWith(200) - 1);
  // An answer that came after the time limit is lost too, and logged.
  if (duplicates > lost + loggedWith(null)) wrong.push('delivered twice though no answer was lost');
  account.lost += lost;
  if (lost > 0) account.lateMs = Math.max(account.lateMs, afterFaults(arrivals, faults)[lost - 1]!);
  account.duplicates += duplicates;
  return wrong;
}

/** What each kind of receiver must come to. */
function expectOutcome({ kind, delivered, failed, held, cancelled }: Account, rows: Delivery[], events: string[], middle: Date) {
  if (kind === 'gone') {
    expect(delivered.length).toBeGreaterThan(0);
    expect(held.length).toBe(events.length - delivered.length);
  } else if (kind === 'down') {
    const before = rows.filter(({ id }) => id < firstIdAt(middle.getTime()));
    expect(cancelled).toEqual(before.map(({ event_id }) => event_id).sort());
    expect(delivered).toEqual([]);
    expect(failed).toEqual([]);
  } else {
    const refused = kind === 'broken' ? events.filter(isChosen) : [];
    expect(failed).toEqual(refused.toSorted());
    expect(delivered.length).toBe(events.length - refused.length);
  }
}
