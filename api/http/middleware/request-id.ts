import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

const safe = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

/** Keeps the client's X-Request-Id when it is harmless, else makes one; on every reply and log line. */
export const requestId: RequestHandler = (req, res, next) => {
  const given = req.headers['x-request-id'];
  const id = typeof given === 'string' && safe.test(given) ? given : randomUUID();
  res.locals.requestId = id;
  res.setHeader('X-Request-Id', id);
  next();
};
