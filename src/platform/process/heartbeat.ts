import type { Database } from '../database/database.ts';
import { query } from '../database/query.ts';
import { uuidv7 } from '../ids.ts';

const everyMs = 2_000;
/** A longer gap may have missed a provider's webhook: `since` begins again. */
const gap = `interval '10 s'`;

/** SQL: an upsert by the database's clock, which also counts the other processes. */
const beatStatement = `
  insert into heartbeats (process_id, process, since, seen_at)
  values ($1, $2, clock_timestamp(), clock_timestamp())
  on conflict (process_id) do update
     set seen_at = clock_timestamp(),
         since = case when heartbeats.seen_at < clock_timestamp() - ${gap} then clock_timestamp() else heartbeats.since end
  returning (
    select count(*)::int
      from heartbeats other
     where other.process = $2 and other.process_id <> $1 and other.seen_at >= clock_timestamp() - ${gap}
  ) as others`;

export type Heartbeat = {
  alive(): number;
  stop(): void;
};

/** A stopped process leaves its row, with its last time. */
export function startHeartbeat(database: Database, process: 'web' | 'worker'): Heartbeat {
  const id = uuidv7();
  let alive = 1;
  const beat = async () => {
    const [row] = await query<{ others: number }>(database.em(), beatStatement, [id, process]);
    alive = row!.others + 1;
  };
  // While the database is away, the last answer holds.
  const tryBeat = () => void beat().catch(() => undefined);
  tryBeat();
  const timer = setInterval(tryBeat, everyMs);
  return { alive: () => alive, stop: () => clearInterval(timer) };
}
