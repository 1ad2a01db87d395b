import type { Request, RequestHandler } from 'express';

/** Long enough for a reply to reach who is still sending. */
const lingerMs = 2_000;

export const hasBody = (headers: Request['headers']) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Of a request that is answered, whoever answered it, what is still to come of its body is let pass unread, so that the reply finds its
 * sender, but not for long. Without an end to it such a request holds its connection for as long as its body does not come.
 */
export const cutUnread: RequestHandler = (req, res, next) => {
  if (hasBody(req.headers)) res.once('finish', () => cut(req));
  next();
};

function cut(req: Request): void {
  if (req.complete) return;
  const timer = setTimeout(() => req.socket.destroy(), lingerMs).unref();
  req.once('close', () => clearTimeout(timer));
  req.resume();
}
