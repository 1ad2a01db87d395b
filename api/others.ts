import { type Request, type RequestHandler, Router } from 'express';
import { frequent } from './frequent.ts';
import type { Deps } from './http/endpoint.ts';
import { endpoints } from './index.ts';
import { addRoutes } from './routes.ts';

/** Every endpoint that is not among the frequent ones. */
export function others(observed: RequestHandler, deps: Deps): RequestHandler {
  const router = Router();
  const rest = endpoints.filter((endpoint) => !frequent.includes(endpoint));
  addRoutes(router, rest, observed, deps);
  // A router answers OPTIONS by itself, unlogged and without the headers of the API.
  return (req, res, next) => (req.method === 'OPTIONS' ? next() : router(req, res, next));
}

const shapes = endpoints
  .filter(({ errorShape }) => errorShape)
  .map(({ method, path, errorShape }) => ({ method, errorShape, path: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`) }));

/** The error body of the endpoint that a request was meant for. */
export const shapeAt = ({ method, path }: Request) =>
  shapes.find((one) => one.method === method.toLowerCase() && one.path.test(path))?.errorShape;
