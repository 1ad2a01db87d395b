import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../platform/database/database.ts';
import type { PoolRef } from '../platform/ledger/accept.ts';
import type { Ledger } from '../platform/ledger/ledger.ts';
import { takeCall } from '../platform/ledger/pace.ts';
import { holdPool } from '../platform/ledger/pools.ts';
import { ProviderBusy } from '../providers/errors.ts';

/**
 * Turns of a connection's pace for a request that somebody waits for: `maxMs` together, then ProviderBusy. A pool on hold longer than that is
 * told at once.
 */
export function turnsWithin(database: Database, pool: PoolRef, maxMs: number): () => Promise<void> {
  const until = performance.now() + maxMs;
  return async () => {
    for (;;) {
      const { heldMs = 0, waitMs = 0 } = await takeCall(database, pool);
      const ms = Math.max(heldMs, waitMs);
      if (ms === 0) return;
      if (performance.now() + ms > until)
        throw new ProviderBusy('The connection has no turn left soon', { retryAfterMs: Math.ceil(ms), scope: 'channel' });
      await sleep(ms);
    }
  };
}

/** The provider asked for it: nothing goes through the connection for so long. */
export async function holdConnection({ database, ledger }: { database: Database; ledger: Ledger }, pool: PoolRef, ms: number) {
  await holdPool(database, pool, ms);
  setTimeout(() => void ledger.fill(pool), ms + 20).unref();
}
