import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a receiver did, by Idempotency-Key: how often it acted, and whom it gave no answer though it had acted. */
export type Called = { acted: Map<string, number>; unanswered: Set<string>; busy: Set<string> };

const maxDelayMs = 120;
/** Of all calls: those that get no answer, and those that are told to come again. */
const lost = 0.02;
const later = 0.02;

/** The system that rules call: it acts, and answers a moment later. Each key is left without an answer, or sent away, once at most. */
export async function startCalled(random: () => number) {
  const calls: Record<string, Called> = {};
  for (const method of ['POST', 'PUT']) calls[method] = { acted: new Map(), unanswered: new Set(), busy: new Set() };

  async function act({ acted, unanswered, busy }: Called, key: string, response: ServerResponse) {
    const isFirst = !unanswered.has(key) && !busy.has(key);
    const fate = isFirst ? random() : 1;
    if (fate < later) {
      busy.add(key);
      response.writeHead(429, { 'retry-after': '1' }).end();
      return;
    }
    acted.set(key, (acted.get(key) ?? 0) + 1);
    await sleep(random() * maxDelayMs);
    if (fate < later + lost) {
      unanswered.add(key);
      response.destroy();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ acted: key }));
  }

  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    request.resume().on('end', () => void act(calls[request.method!]!, String(request.headers['idempotency-key']), response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/leads`,
    calls: calls as Record<'POST' | 'PUT', Called>,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
