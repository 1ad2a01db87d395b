import type { Database } from '../database/database.ts';
import { query } from '../database/query.ts';
import { uuidv7 } from '../ids.ts';

const everyMs = 2_000;
/** A gap longer than this may have missed a provider's webhook: the row counts anew from then. */
const gap = `interval '10 s'`;

/** Keeps a row that says since when this process has been there without a gap. A stopped process leaves it, with its last moment. */
export function startHeartbeat(database: Database, process: 'web' | 'worker'): { stop(): void } {
  const id = uuidv7();
  const beat = () =>
    query(
      database.em(),
      `insert into heartbeats (process_id, process, since, seen_at) values ($1, $2, clock_timestamp(), clock_timestamp())
       on conflict (process_id) do update set seen_at = clock_timestamp(), since = case when heartbeats.seen_at < clock_timestamp() - ${gap} then clock_timestamp() else heartbeats.since end`,
      [id, process],
    ).catch(() => undefined);
  void beat();
  const timer = setInterval(() => void beat(), everyMs);
  return { stop: () => clearInterval(timer) };
}
