import type { Request, RequestHandler } from 'express';

/** Long enough for a reply to reach who is still sending. */
const lingerMs = 2_000;
/** Once nothing more is read: the reply is on its way, and needs to be there before the connection is reset. */
const farewellMs = 500;
const lookEveryMs = 20;

export const hasBody = (headers: Request['headers']) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Of a request that is answered, whoever answered it, what is still to come of its body is let pass unread, so that the reply finds its
 * sender: for a moment only, and of all such bodies together only so many bytes a second. Without an end to it such a request would hold its
 * connection for as long as its body does not come, and large bodies that are refused at once would cost the reading of them.
 */
export function cutUnread(maxBytesPerSecond: number): RequestHandler {
  const unread = new Set<Unread>();
  let timer: NodeJS.Timeout | undefined;
  let lookedAt = 0;
  let left = maxBytesPerSecond;

  function look() {
    const now = performance.now();
    left = Math.min(maxBytesPerSecond, left + ((now - lookedAt) / 1000) * maxBytesPerSecond);
    lookedAt = now;
    for (const one of unread) {
      const bytes = one.come();
      left -= bytes;
      if (one.isOver(now)) unread.delete(one);
      else if (left <= 0 && bytes > 0) {
        unread.delete(one);
        one.stop();
      }
    }
    if (unread.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function cut(req: Request) {
    if (req.complete) return;
    unread.add(watched(req));
    req.resume();
    timer ??= setInterval(look, lookEveryMs).unref();
  }

  return (req, res, next) => {
    if (hasBody(req.headers)) res.once('finish', () => cut(req));
    next();
  };
}

type Unread = {
  /** Bytes since the last call. */
  come(): number;
  isOver(now: number): boolean;
  /** Reads no more, and breaks off soon. */
  stop(): void;
};

function watched(req: Request): Unread {
  const { socket } = req;
  const endsAt = performance.now() + lingerMs;
  let before = socket.bytesRead;
  return {
    come() {
      const bytes = socket.bytesRead - before;
      before += bytes;
      return bytes;
    },
    isOver(now) {
      if (req.complete || socket.destroyed) return true;
      if (now < endsAt) return false;
      socket.destroy();
      return true;
    },
    stop() {
      socket.pause();
      setTimeout(() => socket.destroy(), farewellMs).unref();
    },
  };
}
