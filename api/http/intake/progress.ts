import type { Request } from 'express';

export type Pace = { bytesPerSecond: number; windowMs: number; longestMs: number };

/** Cuts the connection when a window brings fewer bytes than owed while we keep reading. Call the result to stop. */
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
