import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** `none`: it never answers; `reset`: it closes the connection without an answer. */
type Answer = number | 'none' | 'reset';
export type Arrival = { event: string; at: number; answer: Answer };

/** Of its arrivals so far, this one included: of this event, and of all. */
type Seen = { ofEvent: number; ofAll: number; isChosen: boolean };
type Behaviour = (seen: Seen) => Answer;

const firstTime =
  (answer: Answer): Behaviour =>
  ({ ofEvent, isChosen }) =>
    isChosen && ofEvent === 1 ? answer : 200;

export const behaviours = {
  prompt: () => 200,
  slow: () => 200,
  refusing: firstTime(500),
  busy: firstTime(429),
  hanging: firstTime('none'),
  resetting: firstTime('reset'),
  /** Refuses one in eight for ever. */
  broken: ({ isChosen }) => (isChosen ? 500 : 200),
  gone: ({ ofAll }) => (ofAll > 100 ? 410 : 200),
  down: () => 500,
  steady: () => 200,
} satisfies Record<string, Behaviour>;
export type Kind = keyof typeof behaviours;
export const kinds = Object.keys(behaviours) as Kind[];

/** Of events, by their ids: always the same ones. */
export const isChosen = (event: string) => Number.parseInt(event.slice(-4), 16) % 8 === 0;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** A customer's endpoint, which remembers what it was sent and what it answered. */
export async function startReceiver(kind: Kind) {
  const arrivals: Arrival[] = [];
  const faults: string[] = [];
  const bodies = new Map<string, string>();
  const times = new Map<string, number>();
  let verifier: Webhook | undefined;

  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      // Killed while it was sending: this is no arrival.
      return;
    }
    const body = Buffer.concat(chunks).toString('utf8');
    const event = String(request.headers['webhook-id']);
    try {
      verifier!.verify(body, request.headers as Record<string, string>);
    } catch (error) {
      faults.push(`${event}: ${(error as Error).message}`);
    }
    if ((bodies.get(event) ?? body) !== body) faults.push(`${event}: another body than before`);
    bodies.set(event, body);
    const ofEvent = (times.get(event) ?? 0) + 1;
    times.set(event, ofEvent);
    const seen = { ofEvent, ofAll: arrivals.length + 1, isChosen: isChosen(event) };
    const answer = (behaviours[kind] as Behaviour)(seen);
    arrivals.push({ event, at: Date.now(), answer });
    if (kind === 'slow') await sleep(20 + Math.random() * 60);
    give(response, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    kind,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    arrivals,
    faults,
    verifyWith: (secret: string) => {
      verifier = new Webhook(secret);
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function give(response: ServerResponse, answer: Answer) {
  if (answer === 'none') return;
  if (answer === 'reset') return void response.socket?.resetAndDestroy();
  response.writeHead(answer, answer === 429 ? { 'retry-after': '1' } : {}).end();
}
