import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface WebhookValue {
  metadata: { phone_number_id: string; display_phone_number: string };
  contacts?: Record<string, unknown>[];
  messages?: Record<string, unknown>[];
  statuses?: (Record<string, unknown> & { id: string; status: string; errors?: { code: number }[] })[];
}

export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  raw: Buffer;
  answered: number;
}

/** What the product would be: keeps the webhooks it is sent and answers as it is told. */
export class Receiver {
  readonly received: ReceivedWebhook[] = [];
  /** Statuses to answer with, in order; 200 when there are none left. */
  answers: number[] = [];
  verifyToken = 'sandbox-verify-token';
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}/webhooks`;
  }

  /** The same port again when it was open before. */
  async open(): Promise<void> {
    const server = createServer((req, res) => {
      const url = new URL(req.url ?? '/', this.url);
      if (req.method === 'GET') {
        const isKnown = url.searchParams.get('hub.verify_token') === this.verifyToken;
        res.writeHead(isKnown ? 200 : 403).end(isKnown ? url.searchParams.get('hub.challenge') : 'no');
        return;
      }
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const answered = this.answers.shift() ?? 200;
        this.received.push({ headers: req.headers, raw: Buffer.concat(chunks), answered });
        res.writeHead(answered).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  values(): WebhookValue[] {
    return this.received
      .filter(({ answered }) => answered === 200)
      .map(
        ({ raw }) =>
          (JSON.parse(raw.toString()) as { entry: { changes: { value: WebhookValue }[] }[] }).entry[0]!.changes[0]!.value,
      );
  }

  statuses() {
    return this.values().flatMap(({ statuses }) => statuses ?? []);
  }
}
