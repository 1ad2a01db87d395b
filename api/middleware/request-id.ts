import type { RequestHandler } from 'express';
import { uuidv7 } from '../../src/ids.ts';

const safe = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

/** Keeps the client's X-Request-Id when it is harmless, else makes one; on every reply and log line. */
export const requestId: RequestHandler = (req, res, next) => {
  const given = req.get('x-request-id');
  const id = given && safe.test(given) ? given : uuidv7();
  res.locals.requestId = id;
  res.setHeader('X-Request-Id', id);
  next();
};
