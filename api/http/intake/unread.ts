import type { Request, RequestHandler, Response } from 'express';
import onHeaders from 'on-headers';

/** Long enough for a reply to reach a client that is still sending. */
const lingerMs = 2_000;
/** After reading stops: time for the reply to arrive before the connection is reset. */
const farewellMs = 500;
const lookEveryMs = 20;
/** Assumed for a body without a Content-Length. */
const unannounced = 256 * 1024;

export const hasBody = (headers: Request['headers']) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Drains an answered request's unread body, within limits, so that its sender gets the reply instead of a reset. Beyond them the reply says
 * that the connection is closed.
 */
export function cutUnread(maxBytesPerSecond: number): RequestHandler {
  const passing = new Set<Passing>();
  let timer: NodeJS.Timeout | undefined;
  let filledAt = 0;
  // Node reads into fresh buffers, which cost a full garbage collection about every 50 MB.
  let left = maxBytesPerSecond;

  function hasRoomFor(bytes: number): boolean {
    const now = performance.now();
    left = Math.min(maxBytesPerSecond, left + ((now - filledAt) / 1000) * maxBytesPerSecond);
    filledAt = now;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  }

  function look() {
    for (const one of passing) if (isOver(one)) passing.delete(one);
    if (passing.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function drain(req: Request, bytes: number) {
    if (req.complete) return;
    req.resume();
    passing.add({ req, endsAt: performance.now() + lingerMs, maxRead: req.socket.bytesRead + bytes });
    timer ??= setInterval(look, lookEveryMs).unref();
  }

  /** Before the headers of the reply are sent: its sender must not send another request on a connection that will be cut. */
  function prepare(req: Request, res: Response) {
    if (req.complete) return;
    const announced = req.headers['content-length'];
    const bytes = announced === undefined ? unannounced : Number(announced);
    if (hasRoomFor(bytes)) return void res.once('finish', () => drain(req, bytes));
    res.setHeader('Connection', 'close');
    // Node would reset the connection with the last byte of the reply.
    req.socket.destroySoon = () => {
      req.socket.end();
      setImmediate(() => stop(req));
    };
  }

  return (req, res, next) => {
    if (hasBody(req.headers)) onHeaders(res, () => prepare(req, res));
    next();
  };
}

type Passing = { req: Request; endsAt: number; maxRead: number };

function isOver({ req, endsAt, maxRead }: Passing): boolean {
  const { socket } = req;
  if (req.complete || socket.destroyed) return true;
  if (performance.now() >= endsAt) {
    socket.destroy();
    return true;
  }
  if (socket.bytesRead <= maxRead) return false;
  stop(req);
  return true;
}

function stop({ complete, socket }: Request): void {
  if (complete) return;
  socket.pause();
  setTimeout(() => socket.destroy(), farewellMs).unref();
}
