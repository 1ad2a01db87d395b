import type { Database } from '../database/database.ts';
import { query } from '../database/query.ts';
import { uuidv7 } from '../ids.ts';

const everyMs = 2_000;
/** A gap longer than this may have missed a provider's webhook: the row counts anew from then. */
const gap = `interval '10 s'`;

export type Heartbeat = {
  /** Processes of this kind that were alive when the database last answered, this one included. */
  alive(): number;
  stop(): void;
};

/** Keeps a row that says since when this process has been there without a gap. A stopped process leaves it, with its last moment. */
export function startHeartbeat(database: Database, process: 'web' | 'worker'): Heartbeat {
  const id = uuidv7();
  let alive = 1;
  const beat = async () => {
    const [row] = await query<{ others: number }>(
      database.em(),
      `insert into heartbeats (process_id, process, since, seen_at) values ($1, $2, clock_timestamp(), clock_timestamp())
       on conflict (process_id) do update set
         seen_at = clock_timestamp(),
         since = case when heartbeats.seen_at < clock_timestamp() - ${gap} then clock_timestamp() else heartbeats.since end
       returning (
         select count(*)::int
         from heartbeats other
         where other.process = $2 and other.process_id <> $1 and other.seen_at >= clock_timestamp() - ${gap}
       ) as others`,
      [id, process],
    );
    alive = row!.others + 1;
  };
  // While the database is away, what was known last holds.
  const tryBeat = () => void beat().catch(() => undefined);
  tryBeat();
  const timer = setInterval(tryBeat, everyMs);
  return { alive: () => alive, stop: () => clearInterval(timer) };
}
