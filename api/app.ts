import express, { type Express } from 'express';
import helmet from 'helmet';
import { AppError } from '../src/errors.ts';
import { docs } from './docs/docs.ts';
import type { Deps } from './endpoint.ts';
import { endpoints } from './index.ts';
import { requestId } from './middleware/request-id.ts';
import { requestLog } from './middleware/request-log.ts';
import { requestMetrics } from './middleware/request-metrics.ts';
import { openapiDocument } from './openapi.ts';
import { boardPath, bullBoard } from './operations/bull-board.ts';
import { health } from './operations/health.ts';
import { metricsPage } from './operations/metrics.ts';
import { errorAnswer, routeOf } from './route.ts';

/** Pages take nothing from anywhere else; the board sets styles inline. Whether a reply travels over TLS is the proxy's affair. */
const contentPolicy = {
  styleSrc: ["'self'", "'unsafe-inline'"],
  fontSrc: ["'self'", 'data:'],
  upgradeInsecureRequests: null,
};

/** The middleware in order. */
export function createApp(deps: Deps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', deps.config.trustProxy);
  app.set('etag', false);
  app.use(requestId);
  app.use(health(deps));
  if (deps.config.metricsToken) app.use(metricsPage(deps, deps.config.metricsToken));
  app.use(requestMetrics(deps.metrics.registry));
  app.use(requestLog(deps.log));
  app.use(helmet({ contentSecurityPolicy: { directives: contentPolicy } }));
  if (deps.config.operatorPassword) app.use(boardPath, bullBoard(deps));
  const document = JSON.stringify(openapiDocument(deps.config.publicUrl), null, 2);
  app.get('/openapi.json', (_req, res) => void res.type('application/json').send(document));
  app.use(docs(deps.config));
  for (const endpoint of endpoints) {
    const { method, path } = endpoint;
    app[method](path, routeOf(endpoint, deps));
  }
  app.use((req) => {
    throw new AppError('not_found', `There is no ${req.method} ${req.path.slice(0, 200)}`);
  });
  app.use(errorAnswer);
  return app;
}
