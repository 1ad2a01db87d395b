import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../database/database.ts';
import { query } from '../database/query.ts';
import type { Log } from '../log.ts';
import { now, setClock } from './clock.ts';

const everyMs = 5_000;
/** An answer's time is known to half its round trip: a much longer one is of no use. */
const muchLonger = 1.5;
/** Forgets the shortest slowly: the way to the database may have become longer for good. */
const forgetting = 1.2;
const maxSkewMs = 5_000;

type Options = {
  database: Database;
  log: Log;
  registry: Registry;
  hostNow?: () => number;
};

export type Clock = {
  asked: Promise<void>;
  stop(): void;
};

export function startClock({ database, log, registry, hostNow = () => Date.now() }: Options): Clock {
  let isKnown = false;
  let shortestMs = Number.POSITIVE_INFINITY;
  let isOff = false;
  const skewMs = () => hostNow() - now();

  async function ask() {
    // Connecting is not part of the round trip.
    if (!isKnown) await query(database, 'select 1');
    const askedAt = performance.now();
    // SQL: the database's clock.
    const [answer] = await query<{ ms: number }>(database, 'select extract(epoch from clock_timestamp())::float8 * 1000 as ms');
    const answeredAt = performance.now();
    const roundTripMs = answeredAt - askedAt;
    const isPrompt = roundTripMs <= shortestMs * muchLonger;
    shortestMs = Math.min(shortestMs * forgetting, roundTripMs);
    if (!isPrompt) return;
    setClock(answer!.ms, (askedAt + answeredAt) / 2);
    isKnown = true;
    report();
  }

  function report() {
    const isOffNow = Math.abs(skewMs()) > maxSkewMs;
    if (isOffNow === isOff) return;
    isOff = isOffNow;
    const facts = { skew_seconds: Math.round(skewMs() / 1000) };
    if (isOff) log.warn(facts, "the host's clock is not the database's: set it right");
    else log.info(facts, "the host's clock is right again");
  }

  new Gauge({
    name: 'kanal_clock_skew_seconds',
    help: "How far the host's clock is ahead of the database's (below 0: behind); times that leave the process are the database's",
    registers: [registry],
    collect() {
      if (isKnown) this.set(skewMs() / 1000);
    },
  });
  // While the database is away the last answer holds: the steady clock continues.
  const tryAsking = () => ask().catch(() => undefined);
  const asked = tryAsking();
  const timer = setInterval(() => void tryAsking(), everyMs);
  return { asked, stop: () => clearInterval(timer) };
}
