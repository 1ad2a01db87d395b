import { type Request, type RequestHandler, Router } from 'express';
import { frequent } from './frequent.ts';
import type { AnyEndpoint, Deps } from './http/endpoint.ts';
import { endpoints } from './index.ts';
import { addRoutes } from './routes.ts';

/** `/v1/contacts`: no endpoint has a parameter in this part of its path. Routes are found whatever their case. */
const areaOf = (path: string) => path.split('/', 3).join('/').toLowerCase();

/**
 * Every endpoint that is not among the frequent ones. Express tries one route after the other, which for the last of all was a twentieth of
 * what its caller waits for: each area has a router of its own.
 */
export function others(observed: RequestHandler, deps: Deps): RequestHandler {
  const areas = Map.groupBy(
    endpoints.filter((endpoint) => !frequent.includes(endpoint)),
    ({ path }) => areaOf(path),
  );
  const routers = new Map([...areas].map(([area, own]) => [area, routerOf(own, observed, deps)]));
  // A router answers OPTIONS by itself, unlogged and without the headers of the API.
  return (req, res, next) => {
    const router = req.method === 'OPTIONS' ? undefined : routers.get(areaOf(req.path));
    return router ? router(req, res, next) : next();
  };
}

function routerOf(own: AnyEndpoint[], observed: RequestHandler, deps: Deps): Router {
  const router = Router();
  addRoutes(router, own, observed, deps);
  return router;
}

const shapes = endpoints
  .filter(({ errorShape }) => errorShape)
  .map(({ method, path, errorShape }) => ({ method, errorShape, path: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`) }));

/** The error body of the endpoint that a request was meant for. */
export const shapeAt = ({ method, path }: Request) =>
  shapes.find((one) => one.method === method.toLowerCase() && one.path.test(path))?.errorShape;
