import type { Request } from 'express';

/** Long enough for a reply to reach who is still sending. */
const lingerMs = 2_000;

export const hasBody = (headers: Request['headers']) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * For a request that is being answered: what is still to come of its body is let pass unread, so that the reply finds its sender, but not
 * for long. Without an end to it a refused request holds its connection for as long as its body does not come.
 */
export function cutUnread(req: Request): void {
  if (req.complete || !hasBody(req.headers)) return;
  const timer = setTimeout(() => req.socket.destroy(), lingerMs).unref();
  req.once('close', () => clearTimeout(timer));
  req.resume();
}
