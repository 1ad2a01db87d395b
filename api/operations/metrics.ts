import { Router } from 'express';
import { AppError } from '../../src/platform/errors.ts';
import { askForToken, mayScrape } from '../../src/platform/metrics/access.ts';
import { clientAddress } from '../http/client-address.ts';
import type { Deps } from '../http/endpoint.ts';

/** For Prometheus, with METRICS_TOKEN. A scrape is neither logged nor counted. */
export function metricsPage({ metrics, log }: Deps, token: string): Router {
  const router = Router();
  router.get('/metrics', async (req, res) => {
    if (!mayScrape(req.get('authorization'), token)) {
      log.warn({ address: clientAddress(req) }, 'a scrape without the right token');
      res.setHeader('WWW-Authenticate', askForToken);
      throw new AppError('unauthorized', 'The token of the metrics is needed: header Authorization: Bearer');
    }
    res.setHeader('Content-Type', metrics.contentType);
    res.end(await metrics.scrape());
  });
  return router;
}
