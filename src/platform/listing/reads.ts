import { assertStillThere } from '../database/connection-shares.ts';
import type { Database } from '../database/database.ts';
import { isTimedOut } from '../database/errors.ts';
import { query, queryPlanned } from '../database/query.ts';
import { AppError } from '../errors.ts';
import { createBusyProbe, crowd, restTimes } from '../load/busy.ts';
import { createShares, createTimeShares, type Price, pagesOf, timeShares } from '../load/shares.ts';
import type { Ask } from './paging.ts';

export type Reads = {
  plain: Ask;
  /** Planned once, for a text that gives the planner no value to think about. */
  prepared: Ask;
  /** Runs `work` in a place of the organization, on one connection, with time limits. Throws 503 or `TooSlow`. */
  dear<Result>(organizationId: string, work: (ask: Ask) => Promise<Result>): Promise<Result>;
  /** Runs `work`, which counts much and has the time of a request, in a place of its own of the organization, with a rest. Throws 503. */
  resting<Result>(organizationId: string, work: () => Promise<Result>): Promise<Result>;
  /** Runs `work` in a place of the organization, which stays taken until what it had counted (`timeShares`) is paid for. Throws 503. */
  counted<Result>(organizationId: string, work: () => Promise<Result>): Promise<Result>;
  /** Runs `work` in a place of the key, for what takes time here and not in the database. Throws 503. */
  inPlace<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /** A step of a look through all records, one at a time for an organization, with a rest. Throws 503 when the client has left. */
  lookInTurn<Result>(organizationId: string, step: () => Promise<Result>): Promise<Result>;
  /** Steps of a long read run one at a time for an organization, with rests for other work. */
  inTurns<Step>(organizationId: string, steps: AsyncGenerator<Step>): AsyncGenerator<Step>;
  bounds: ReadBounds;
};

/** `checks`: unindexed conditions times the records read for them. `ms`: the time limit of a statement. */
export type ReadBounds = { checks: number; ms: number };

/** Cut by the time limit; the same `work` can run no other statement. */
export class TooSlow extends AppError {
  constructor(cause?: unknown) {
    super(
      'unavailable',
      'This takes too long: narrow it by search or filters, ask for a smaller page, or leave out include_total',
      {
        retryAfterSeconds: 5,
        cause,
      },
    );
  }
}

type Options = ReadBounds & {
  atOnce: number;
};

/** A longer queue is of no use: its clients would have given up. */
const maxWaiting = 50;
/** Whoever waits holds a body: all of them together stay below what an organization may hold. */
const maxWaitingCounted = 8;
const waitMs = 5_000;
/** After a list this long comes a rest of the same length: one organization must not occupy a core of the database. */
const restFromMs = 200;
/** In the long run a place takes a quarter of a core of the database, half where a list has all the time there is; what a person asks for is more for a moment. */
const ofDatabase: Price = { rest: { idle: 3, busy: 3 }, freeMs: 2_000 };
/** Slow pages of several downloads and their rests must stay below the time after which a silent connection is closed. */
const maxExportRestMs = 1_000;
/** Whoever waits behind a count of seconds must not be refused for its rest. */
const maxCountRestMs = 1_000;
const maxTimerMs = 2 ** 31 - 1;
/** For the steps of other looks, each with its rest. */
const lookWaitMs = 10_000;

export function createReads(database: Database, { atOnce, checks, ms }: Options): Reads {
  const had = createTimeShares(undefined, ofDatabase);
  const shares = createShares({
    perKey: atOnce,
    maxWaiting,
    waitMs,
    refusal: 'Too many searches of the organization at once: run them one after the other',
    restMs(tookMs, key) {
      const pages = timeShares.owedMs(pagesOf(key));
      // A short one pays for no other: those who wait with it would be refused.
      if (tookMs <= restFromMs) return pages;
      // No longer than after the longest list, for the same reason.
      return Math.max(tookMs, Math.min(ms, had.owedMs(key)), pages);
    },
  });
  // Without a rest: such work lets others in by itself, and takes no part of the database meanwhile.
  const places = createShares({ perKey: atOnce, maxWaiting, waitMs, refusal: 'Too many searches at once' });
  const counted = createShares({
    perKey: atOnce,
    maxWaiting: maxWaitingCounted,
    waitMs,
    refusal: 'Too much work of the organization at once: ask for one after the other',
    restMs: (_, key) => timeShares.owedMs(key),
  });
  const counts = createShares({
    perKey: atOnce,
    maxWaiting,
    waitMs,
    refusal: 'Too many counts of the organization at once: ask for one after the other',
    restMs: (tookMs) => (tookMs > restFromMs ? Math.min(maxCountRestMs, tookMs) : 0),
  });
  const isBusy = createBusyProbe();
  const idleTimes = () => (crowd.isShared() ? restTimes.shared : restTimes.idle);
  const restOfStep = (tookMs: number) => Math.min(maxExportRestMs, tookMs * (isBusy() ? restTimes.busy : idleTimes()));
  const turns = createShares({
    perKey: 1,
    maxWaiting: Number.POSITIVE_INFINITY,
    waitMs: maxTimerMs,
    refusal: 'Too many exports at once',
    restMs: restOfStep,
  });
  const looks = createShares({
    perKey: 1,
    maxWaiting,
    waitMs: lookWaitMs,
    refusal: 'Too many exports at once',
    restMs: restOfStep,
  });
  // One server process each: a parallel plan would take cores from other organizations. One snapshot: a page may take two statements.
  const begin = [
    `begin isolation level repeatable read read only; set local statement_timeout = ${ms}`,
    'set local max_parallel_workers_per_gather = 0; set local plan_cache_mode = force_custom_plan',
  ].join('; ');

  async function inOneConnection<Result>(organizationId: string, work: (ask: Ask) => Promise<Result>): Promise<Result> {
    assertStillThere();
    const client = await database.pool.connect();
    // Not before: others may have the connections.
    const beganAt = performance.now();
    let broken: Error | undefined;
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    const ask: Ask = async (text, values) => {
      try {
        // An object: not prepared, and planned for these values.
        return (await client.query({ text, values })).rows;
      } catch (error) {
        throw isTimedOut(error) ? new TooSlow(error) : error;
      }
    };
    try {
      await client.query(begin);
      return await work(ask);
    } finally {
      await client.query('rollback').catch((fault) => {
        broken = fault;
      });
      client.off('error', onError);
      client.release(broken);
      const tookMs = performance.now() - beganAt;
      if (tookMs > restFromMs) had.charge(organizationId, tookMs / atOnce);
    }
  }

  return {
    plain: (text, params) => queryPlanned(database, text, params),
    prepared: (text, params) => query(database, text, params),
    dear: (organizationId, work) => shares.use(organizationId, () => inOneConnection(organizationId, work)),
    resting: (organizationId, work) => counts.use(organizationId, work),
    counted: (organizationId, work) => counted.use(organizationId, work),
    inPlace: (key, work) => places.use(key, work),
    lookInTurn: (organizationId, step) =>
      looks.use(organizationId, () => {
        crowd.met(organizationId);
        assertStillThere();
        return step();
      }),
    async *inTurns(organizationId, steps) {
      try {
        for (;;) {
          const { value, done } = await turns.use(organizationId, () => {
            crowd.met(organizationId);
            return steps.next();
          });
          if (done) return;
          yield value;
        }
      } finally {
        await steps.return(undefined);
      }
    },
    bounds: { checks, ms },
  };
}
