import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stop } from './abuse.ts';
import type { Tally } from './tally.ts';

export type Request = {
  base: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Buffer | string;
  /** What the answer counts as; the status when it is not given. */
  nameFor?(status: number, headers: Record<string, unknown>): string;
};

const longestMs = 30_000;

/** One request on a connection of its own. Whatever happens is an answer: a server that defends itself closes connections. */
export function answerTo({ base, method, path, headers, body, nameFor }: Request, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const failed = () => resolve(signal.aborted ? 'cut off' : 'closed');
    const sent = request(
      `${base}${path}`,
      { method, agent: false, signal, headers: { ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) } },
      (response) => {
        // The answer may come before the body is read, and the end of the connection right after it.
        const status = response.statusCode ?? 0;
        response.once('error', failed);
        response.once('close', () => resolve(nameFor?.(status, response.headers) ?? String(status)));
        response.resume();
      },
    );
    sent.setTimeout(longestMs, () => sent.destroy());
    sent.once('error', failed);
    sent.end(body);
  });
}

/**
 * `count` clients, each with one request at a time, `pauseMs` after the last answer: refused at once it must not become a load by itself.
 * `next` is told which client asks and the how manieth request it is.
 */
export function clients(count: number, pauseMs: number, tally: Tally, next: (client: number, number: number) => Request): Stop {
  const ending = new AbortController();
  let number = 0;
  const running = Array.from({ length: count }, async (_, client) => {
    while (!ending.signal.aborted) {
      tally.add(await answerTo(next(client, number++), ending.signal));
      await sleep(pauseMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  });
  return async () => {
    ending.abort();
    await Promise.all(running);
  };
}

/** Stops all of them. */
export const together =
  (...stops: Stop[]): Stop =>
  async () =>
    void (await Promise.all(stops.map((stop) => stop())));
