import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { setUrlRules } from '../src/automation/http/url-rules.ts';
import { cut } from '../src/platform/cut.ts';
import { AppError } from '../src/platform/errors.ts';
import { frequent } from './frequent.ts';
import type { Deps } from './http/endpoint.ts';
import { cutUnread } from './http/intake/unread.ts';
import { lazily } from './http/lazily.ts';
import { crossOrigin } from './http/middleware/cross-origin.ts';
import { requestEnd } from './http/middleware/request-end.ts';
import { requestId } from './http/middleware/request-id.ts';
import { requestLog } from './http/middleware/request-log.ts';
import { requestMetrics } from './http/middleware/request-metrics.ts';
import { answerError } from './http/send.ts';
import { health } from './operations/health.ts';
import { metricsPage } from './operations/metrics.ts';
import { addRoutes } from './routes.ts';

/** Requests of no caller: neither logged nor counted. */
const unobserved: RequestHandler = (_req, res, next) => {
  res.locals.isObserved = true;
  next();
};

/** The middleware in order. The API comes first, so that its requests pass through no page. */
export function createApp(deps: Deps): Express {
  setUrlRules(deps.config);
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', deps.config.trustProxy);
  app.set('etag', false);
  const observed = requestEnd([requestMetrics(deps.metrics.registry), requestLog(deps.log)]);
  app.use(requestId, cutUnread(deps.config.bodiesUnreadBytesPerSecond));
  const shared = crossOrigin(deps.config);
  if (shared) app.use('/v1', shared);
  addRoutes(app, frequent, observed, deps);
  app.use(['/healthz', '/readyz'], unobserved);
  app.use(health(deps));
  if (deps.config.metricsToken) app.use('/metrics', unobserved).use(metricsPage(deps, deps.config.metricsToken));
  app.use(lazily(async () => (await import('./others.ts')).others(observed, deps)));
  const pages = lazily(async () => (await import('./pages/pages.ts')).pages(deps));
  app.use(observed, pages, (req) => {
    throw new AppError('not_found', `There is no ${req.method} ${cut(req.path, 200)}`);
  });
  // A path that cannot be decoded fails before it reaches its route.
  const refused: ErrorRequestHandler = async (error, req, res, _next) => {
    const { shapeAt } = await import('./others.ts');
    observed(req, res, () => answerError(error, shapeAt(req), res));
  };
  app.use(refused);
  return app;
}
