import type { Database } from '../database/database.ts';
import { query } from '../database/query.ts';
import { uuidv7 } from '../ids.ts';

const everyMs = 2_000;
/** A longer gap may have missed a provider's webhook: `since` begins again after it. */
const gap = `interval '10 s'`;

/** SQL: an upsert by the database's clock. */
const beatStatement = `
  insert into heartbeats (process_id, process, since, seen_at)
  values ($1, $2, clock_timestamp(), clock_timestamp())
  on conflict (process_id) do update
     set seen_at = clock_timestamp(),
         since = case when heartbeats.seen_at < clock_timestamp() - ${gap} then clock_timestamp() else heartbeats.since end`;

/** Keeps a row with the time since which this process has run without a gap. A stopped process leaves its row, with its last time. */
export function startHeartbeat(database: Database, process: 'web' | 'worker'): { stop(): void } {
  const id = uuidv7();
  const beat = () => query(database.em(), beatStatement, [id, process]).catch(() => undefined);
  void beat();
  const timer = setInterval(() => void beat(), everyMs);
  return { stop: () => clearInterval(timer) };
}
