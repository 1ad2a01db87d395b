import type { IncomingHttpHeaders } from 'node:http';

export interface LoggedRequest {
  at: string;
  method: string;
  path: string;
  query: string;
  headers: IncomingHttpHeaders;
  body: unknown;
  /** null while it runs, and for good when the socket was destroyed instead of an answer. */
  status: number | null;
}

/** What the provider side received. A ring: past the limit the oldest entry makes room. */
export class RequestLog {
  readonly #limit: number;
  #entries: LoggedRequest[] = [];
  #oldest = 0;

  constructor(limit = 100_000) {
    this.#limit = limit;
  }

  add(entry: LoggedRequest): void {
    if (this.#entries.length < this.#limit) {
      this.#entries.push(entry);
      return;
    }
    this.#entries[this.#oldest] = entry;
    this.#oldest = (this.#oldest + 1) % this.#limit;
  }

  find({ path = '', method }: { path?: string; method?: string }): LoggedRequest[] {
    const inOrder = [...this.#entries.slice(this.#oldest), ...this.#entries.slice(0, this.#oldest)];
    return inOrder.filter((entry) => entry.path.includes(path) && (method ?? entry.method) === entry.method);
  }
}

export function withoutCredentials(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers.authorization === undefined ? { ...headers } : { ...headers, authorization: '[redacted]' };
}

const credentials = ['client_secret', 'code', 'access_token'];

/** Those that come in the query too. */
export function queryShown(query: string): string {
  const shown = new URLSearchParams(query);
  const held = credentials.filter((name) => shown.has(name));
  if (held.length === 0) return query;
  for (const name of held) shown.set(name, '[redacted]');
  return decodeURIComponent(shown.toString());
}
