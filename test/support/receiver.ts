import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Delivered = { at: number; headers: IncomingHttpHeaders; raw: string; body: Record<string, unknown> & { data: Json } };
type Json = Record<string, unknown>;
type Answer = { status?: number; headers?: Record<string, string>; delayMs?: number; after?: Promise<unknown> };

export type Receiver = {
  url: string;
  received: Delivered[];
  /** What the next requests get, the last one for ever; 200 at first. A function may decide by the request. */
  answer(...answers: (Answer | ((delivered: Delivered) => Answer))[]): void;
  ofType(type: string): Delivered[];
  close(): Promise<void>;
};

/** A customer's side of webhooks: keeps what it is sent and answers as it is told. */
export async function startReceiver(): Promise<Receiver> {
  const received: Delivered[] = [];
  let answers: Parameters<Receiver['answer']> = [{}];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks).toString('utf8');
    const delivered = { at: performance.now(), headers: req.headers, raw, body: JSON.parse(raw) as Delivered['body'] };
    received.push(delivered);
    const next = answers.length > 1 ? answers.shift()! : answers[0]!;
    const { status = 200, headers = {}, delayMs = 0, after } = typeof next === 'function' ? next(delivered) : next;
    await after;
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
    res.writeHead(status, headers).end('thank you');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    answer(...next) {
      answers = next;
    },
    ofType: (type) => received.filter(({ body }) => body.type === type),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
