import { type Database, isTimedOut, queryPlanned } from '../database.ts';
import { AppError } from '../errors.ts';
import type { Ask } from '../paging.ts';
import { createShares } from '../shares.ts';

/** How lists are read: what an index gives at once, and within bounds what may take long. */
export type Reads = {
  plain: Ask;
  /**
   * Runs `work` in one of the organization's places, its statements on one connection, each with a time limit. Throws 503 when too many
   * wait, and `work` gets `TooSlow` from a statement that was cut.
   */
  dear<Result>(organizationId: string, work: (ask: Ask) => Promise<Result>): Promise<Result>;
  bounds: ReadBounds;
};

/** `checks`: conditions that no index answers, times the records looked at for them; `ms`: the time limit of a statement. */
export type ReadBounds = { checks: number; ms: number };

/** A statement was cut by its time limit; nothing more can be asked in the same work. */
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
  /** Dear reads of an organization that this process runs at once. */
  atOnce: number;
};

/** Of one organization; a page that nobody waits for any more is not worth a longer queue. */
const maxWaiting = 50;
const waitMs = 5_000;

export function createReads(database: Database, { atOnce, checks, ms }: Options): Reads {
  const shares = createShares({
    perKey: atOnce,
    maxWaiting,
    waitMs,
    refusal: 'Too many searches of the organization at once: run them one after the other',
  });
  // One process of the server each: an organization with few places must not take the others' cores by parallel plans.
  const begin = `begin read only; set local statement_timeout = ${ms}; set local max_parallel_workers_per_gather = 0`;

  async function inOneConnection<Result>(work: (ask: Ask) => Promise<Result>): Promise<Result> {
    const client = await database.pool.connect();
    let broken: Error | undefined;
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    const ask: Ask = async (text, values) => {
      try {
        // As an object, as in queryPlanned: planned for these values.
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
    }
  }

  return {
    plain: (text, params) => queryPlanned(database, text, params),
    dear: (organizationId, work) => shares.use(organizationId, () => inOneConnection(work)),
    bounds: { checks, ms },
  };
}
