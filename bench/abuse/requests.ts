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
  /** The answer's body, where somebody wants it. */
  onText?(text: string): void;
};

const longestMs = 30_000;

/** One request on a connection of its own. Whatever happens is an answer: a server that defends itself closes connections. */
export function answerTo({ base, method, path, headers, body, nameFor, onText }: Request, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const failed = () => resolve(signal.aborted ? 'cut off' : 'closed');
    const sent = request(
      `${base}${path}`,
      { method, agent: false, signal, headers: { ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) } },
      (response) => {
        // The answer may come before the body is read, and the end of the connection right after it.
        const status = response.statusCode ?? 0;
        response.once('error', failed);
        let text = '';
        if (onText) response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.once('close', () => {
          onText?.(text);
          resolve(nameFor?.(status, response.headers) ?? String(status));
        });
        response.resume();
      },
    );
    sent.setTimeout(longestMs, () => sent.destroy());
    sent.once('error', failed);
    sent.end(body);
  });
}

/** `count` loops, each with a rest of `pauseMs` after its turn: refused at once it must not become a load by itself. */
export function loops(count: number, pauseMs: number, turn: (loop: number, signal: AbortSignal) => Promise<void>): Stop {
  const ending = new AbortController();
  const running = Array.from({ length: count }, async (_, loop) => {
    while (!ending.signal.aborted) {
      await turn(loop, ending.signal);
      await sleep(pauseMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  });
  return async () => {
    ending.abort();
    await Promise.all(running);
  };
}

/** `count` clients, each with one request at a time. `next` is told which client asks and the how manieth request it is. */
export function clients(count: number, pauseMs: number, tally: Tally, next: (client: number, number: number) => Request): Stop {
  let number = 0;
  return loops(count, pauseMs, async (client, signal) => tally.add(await answerTo(next(client, number++), signal)));
}

/** What a client with a key sends as JSON; counted as `name` and the status. */
export const withKey = (
  { base, apiKey }: { base: string; apiKey: string },
  name: string,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object | string,
): Request => ({
  base,
  method,
  path,
  headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) },
  ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  nameFor: (status) => `${name} ${status}`,
});

/** Stops all of them. */
export const together =
  (...stops: Stop[]): Stop =>
  async () =>
    void (await Promise.all(stops.map((stop) => stop())));

/** A call of a payment account's callback, counted by `name`. */
export const paymentCallback = (
  { base, paymentId }: { base: string; paymentId: string },
  name: string,
  { body, headers }: { body: string; headers: Record<string, string> },
): Request => ({
  base,
  method: 'POST',
  path: `/v1/providers/payments/${paymentId}/webhook`,
  headers,
  body,
  nameFor: (status) => `${name} ${status}`,
});
