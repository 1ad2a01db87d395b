import { Router } from 'express';
import { withinMs } from '../../src/platform/ledger/backends/backend.ts';
import { migrationsPending } from '../../src/platform/migrations/pending.ts';
import type { Deps } from '../http/endpoint.ts';

/** `/healthz`: alive. `/readyz`: can serve; a missing queue only degrades it, since jobs are in the database. */
export function health({ database, queues }: Deps): Router {
  const router = Router();
  router.get('/healthz', (_req, res) => void res.json({ status: 'ok' }));
  router.get('/readyz', async (_req, res) => {
    const queue = queues.isReady() ? 'ok' : 'degraded';
    try {
      const pending = await withinMs(migrationsPending(database), 2_000, 'The database');
      res
        .status(pending ? 503 : 200)
        .json({ status: pending ? 'unavailable' : 'ok', database: 'ok', migrations: pending ? 'pending' : 'ok', queue });
    } catch {
      res.status(503).json({ status: 'unavailable', database: 'unavailable', migrations: 'unknown', queue });
    }
  });
  return router;
}
