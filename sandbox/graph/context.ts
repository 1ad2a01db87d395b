import type { Request, RequestHandler, Response } from 'express';
import type { LoggedRequest } from '../request-log.ts';

export interface GraphLocals extends Record<string, unknown> {
  version: string;
  traceId: string;
  path: string;
  token: string;
  entry: LoggedRequest;
  dropsAnswer: boolean;
}

type Query = Request['query'];

export type GraphRequest = Request<{ id: string }, unknown, unknown, Query, GraphLocals>;
export type GraphResponse = Response<unknown, GraphLocals>;
export type GraphHandler = RequestHandler<{ id: string }, unknown, unknown, Query, GraphLocals>;
