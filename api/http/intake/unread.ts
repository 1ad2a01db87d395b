import type { Request, RequestHandler } from 'express';

/** Long enough for a reply to reach who is still sending. */
const lingerMs = 2_000;
/** Once nothing more is read: the reply is on its way, and needs to be there before the connection is reset. */
const farewellMs = 500;
const lookEveryMs = 20;
/** What is kept ready for a body that does not say how long it is. */
const unannounced = 256 * 1024;

export const hasBody = (headers: Request['headers']) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Of a request that is answered, whoever answered it, what is still to come of its body is let pass unread, so that the reply finds its
 * sender: for a moment only, and of all such bodies together only so many bytes a second; of the others nothing more is read. Without an end
 * to it such a request would hold its connection for as long as its body does not come. And Node reads into a fresh buffer each time, which
 * costs a collection of the whole heap every some 50 MB.
 */
export function cutUnread(maxBytesPerSecond: number): RequestHandler {
  const passing = new Set<Passing>();
  let timer: NodeJS.Timeout | undefined;
  let filledAt = 0;
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

  function cut(req: Request) {
    if (req.complete) return;
    const announced = req.headers['content-length'];
    const bytes = announced === undefined ? unannounced : Number(announced);
    req.resume();
    // Node begins to read what nobody asked for in the next tick.
    if (!hasRoomFor(bytes)) return void setImmediate(() => stop(req));
    passing.add({ req, endsAt: performance.now() + lingerMs, maxRead: req.socket.bytesRead + bytes });
    timer ??= setInterval(look, lookEveryMs).unref();
  }

  return (req, res, next) => {
    if (hasBody(req.headers)) res.once('finish', () => cut(req));
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

/** Reads no more, and breaks off soon. */
function stop({ complete, socket }: Request): void {
  if (complete) return;
  socket.pause();
  setTimeout(() => socket.destroy(), farewellMs).unref();
}
