import type { Request } from 'express';

/** How slowly a body may come. */
export type Pace = { bytesPerSecond: number; windowMs: number; longestMs: number };

/**
 * Breaks the connection off when a body does not keep coming: in each window its sender owes so many bytes. A window in which we have not
 * taken what is there already is our own slowness. Returns what ends the watch.
 */
export function mustKeepComing(req: Request, { bytesPerSecond, windowMs, longestMs }: Pace): () => void {
  const { socket } = req;
  const owed = (bytesPerSecond * windowMs) / 1000;
  let before = socket.bytesRead;
  let windows = 0;
  const timer = setInterval(() => {
    windows += 1;
    const isOurs = req.readableLength > 0;
    if ((!isOurs && socket.bytesRead - before < owed) || windows * windowMs >= longestMs) req.destroy();
    before = socket.bytesRead;
  }, windowMs);
  return () => clearInterval(timer);
}
