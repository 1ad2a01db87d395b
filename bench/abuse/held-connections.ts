import { connect, type Socket } from 'node:net';
import type { Stop } from './abuse.ts';
import type { Tally } from './tally.ts';

type Held = {
  base: string;
  count: number;
  /** What a connection sends first: a head and, mostly, a part of a body. Prebuilt, so that it costs its sending only. */
  first: Buffer[];
  /** Then a byte so often; undefined: nothing more. */
  byteEveryMs?: number;
  /** Opened again after the server closed it. */
  isPersistent: boolean;
  /** Reads a piece of the answer a second. */
  isSlowReader?: boolean;
  name: string;
};

const openedPerSecond = 150;
const reopenedPerSecond = 20;
const tickMs = 50;

/** Connections that are held open. Each new one counts with what was answered; at the end count those that are still open. */
export function heldConnections({ base, count, first, byteEveryMs, isPersistent, isSlowReader, name }: Held, tally: Tally): Stop {
  const { hostname, port } = new URL(base);
  const open = new Set<Socket>();
  let [opened, room] = [0, 0];

  function hold() {
    const socket = connect(Number(port), hostname);
    let isAnswered = false;
    open.add(socket);
    socket.on('data', (piece) => {
      if (isSlowReader) {
        socket.pause();
        setTimeout(() => socket.resume(), 1_000);
      }
      if (isAnswered) return;
      isAnswered = true;
      tally.add(`${name}: ${/^HTTP\/1\.1 (\d{3})/.exec(piece.toString('latin1', 0, 16))?.[1] ?? 'no HTTP'}`);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (open.delete(socket)) tally.add(`${name}: closed`);
    });
    for (const piece of first) socket.write(piece);
  }

  const opening = setInterval(() => {
    room = Math.min(20, room + ((opened < count ? openedPerSecond : reopenedPerSecond) * tickMs) / 1000);
    for (; room >= 1 && open.size < count && (isPersistent || opened < count); room -= 1) {
      opened += 1;
      hold();
    }
  }, tickMs);
  const trickle =
    byteEveryMs &&
    setInterval(() => {
      for (const socket of open) if (socket.writable) socket.write(' ');
    }, byteEveryMs);

  return async () => {
    clearInterval(opening);
    if (trickle) clearInterval(trickle);
    tally.add(`${name}: open at the end`, open.size);
    const left = [...open];
    open.clear();
    for (const socket of left) socket.destroy();
  };
}

/** The head of a request that says how long its body is going to be. */
export const headOf = (method: string, path: string, headers: Record<string, string | number>) =>
  Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: bench\r\n${Object.entries(headers)
      .map(([key, value]) => `${key}: ${value}\r\n`)
      .join('')}\r\n`,
  );
