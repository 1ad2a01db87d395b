import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { query } from '../database/query.ts';

/** Numbers up to `seq` were drawn by transactions whose ids are below `xid`. */
type Mark = { seq: bigint; xid: bigint };

/** Between looks at the oldest running transaction; most of ours take a few milliseconds. */
const waitsMs = [0, 1, 2, 4, 8, 16, 32, 64, 128];

/** SQL (all of this file): the server's own functions; no row of an organization is read. */
const drawnStatement = `
  select case when is_called then last_value else 0 end as number
    from events_seq_seq`;
const xidStatement = 'select pg_current_xact_id()::text as number';
const oldestStatement = 'select pg_snapshot_xmin(pg_current_snapshot())::text as number';

/**
 * Up to which `seq` all events are committed or never will be. Numbers are drawn before their commit, so a smaller one may appear after a
 * greater one; a cursor that stops here skips none (docs/decisions/0019-cursors-over-events.md).
 *
 * A number is drawn by a transaction that has its id already (the column's default). So whoever has drawn one of the numbers seen now has a
 * smaller id than a transaction that begins now; once no transaction that old is running, all of these numbers are settled.
 */
class Horizon {
  readonly #database: Database;
  #settled = 0n;
  /** Not settled when it was made: the only way ahead while there is always some long transaction. */
  #older: Mark | undefined;
  #running: Promise<bigint> | undefined;
  #next: Promise<bigint> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Does not join a look that began before: it may have missed what the caller has just committed. */
  read(): Promise<bigint> {
    if (!this.#running) return this.#begin();
    this.#next ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  #begin(): Promise<bigint> {
    this.#next = undefined;
    // Requests of several organizations share it: none of them shall wait for the connections of another.
    const look = this.#database
      .onNobodysBehalf(() => this.#look())
      .finally(() => {
        if (this.#running === look) this.#running = undefined;
      });
    this.#running = look;
    return look;
  }

  async #look(): Promise<bigint> {
    const seq = await this.#number(drawnStatement);
    if (seq === this.#settled) return seq;
    // The database was set back to an older state.
    if (seq < this.#settled) this.#forget();
    const mark = { seq, xid: await this.#number(xidStatement) };
    for (const waitMs of waitsMs) {
      if (waitMs > 0) await sleep(waitMs);
      const oldest = await this.#number(oldestStatement);
      if (this.#older && oldest > this.#older.xid) this.#settle(this.#older);
      if (oldest > mark.xid) this.#settle(mark);
      if (this.#settled >= mark.seq) return this.#settled;
    }
    this.#older ??= mark;
    return this.#settled;
  }

  #settle({ seq }: Mark) {
    if (seq > this.#settled) this.#settled = seq;
    this.#older = undefined;
  }

  #forget() {
    this.#settled = 0n;
    this.#older = undefined;
  }

  async #number(statement: string): Promise<bigint> {
    const [row] = await query<{ number: string }>(this.#database, statement);
    return BigInt(row!.number);
  }
}

const horizons = new WeakMap<Database, Horizon>();

/** Waits a quarter of a second at most; then it answers what was settled before, which may be nothing. */
export function settledSeq(database: Database): Promise<bigint> {
  const horizon = horizons.get(database) ?? new Horizon(database);
  horizons.set(database, horizon);
  return horizon.read();
}
