import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export type Received = { id: string; body: string; at: number };

/** A customer's endpoint: verifies every delivery with an independent library and remembers it. */
export async function startReceiver(): Promise<{
  url: string;
  received: Received[];
  faults: string[];
  verifyWith(secret: string): void;
  close(): Promise<void>;
}> {
  const received: Received[] = [];
  const faults: string[] = [];
  let verifier: Webhook | undefined;
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      try {
        verifier?.verify(body, request.headers as Record<string, string>);
      } catch (error) {
        faults.push(`${request.headers['webhook-id']}: ${(error as Error).message}`);
      }
      received.push({ id: String(request.headers['webhook-id']), body, at: Date.now() });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    faults,
    verifyWith: (secret) => {
      verifier = new Webhook(secret);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
