import type { IRouter, RequestHandler } from 'express';
import type { AnyEndpoint, Deps } from './http/endpoint.ts';
import { apiHeaders } from './http/middleware/api-headers.ts';
import { routeOf } from './http/route.ts';

/** Adds a route for each, in order. */
export function addRoutes(to: IRouter, endpoints: AnyEndpoint[], observed: RequestHandler, deps: Deps) {
  for (const endpoint of endpoints) to[endpoint.method](endpoint.path, observed, apiHeaders, routeOf(endpoint, deps));
}
