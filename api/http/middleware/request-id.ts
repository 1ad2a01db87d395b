import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

const safe = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

/** Keeps a harmless X-Request-Id of the client, else makes one. */
export const requestId: RequestHandler = (req, res, next) => {
  const given = req.headers['x-request-id'];
  const id = typeof given === 'string' && safe.test(given) ? given : randomUUID();
  res.locals.requestId = id;
  res.setHeader('X-Request-Id', id);
  next();
};
