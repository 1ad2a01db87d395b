import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What came in, as it came. */
export type Arrival = { at: Date; method: string; headers: Record<string, string>; body: Buffer };
export type Answer = { status: number; headers?: Record<string, string | string[]>; body?: Buffer | string };

export type Receiver = {
  port: number;
  /** Takes nothing new and lets what is at work end, for `graceMs` at most. */
  close(graceMs: number): Promise<void>;
};

/** Twice what the API takes as a body: no event is as large. */
const maxBytes = 2 * 1024 * 1024;

/** On the loopback address only. */
export async function startReceiver(port: number, handle: (arrival: Arrival) => Promise<Answer>): Promise<Receiver> {
  const server = createServer({ requestTimeout: 30_000 }, async (request, response) => {
    const at = new Date();
    const body = await bodyOf(request).catch(() => undefined);
    if (response.destroyed) return;
    if (!body) return void response.writeHead(413, { connection: 'close' }).end();
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
    );
    const answer = await handle({ at, method: request.method ?? 'POST', headers, body });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`Port ${port} is taken: choose another with --port`) : error),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await Promise.race([closed, pause(graceMs, undefined, { ref: false })]);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Undefined: too large. */
async function bodyOf(request: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
