import { Agent, type Dispatcher, errors } from 'undici';
import { checkUrl, ForbiddenAddress, type Lookup } from './address-guard.ts';
import { parseNetworks } from './address-ranges.ts';
import { requestHeaders } from './request-headers.ts';
import { responseHead } from './response-head.ts';
import { type ConnectErrorClass, ConnectFailed, vettedConnector } from './vetted-connector.ts';

export type SendErrorClass = ConnectErrorClass | 'timeout' | 'http';

export interface SendOutcome {
  /** Any 2xx whose head arrived in time. */
  ok: boolean;
  status?: number;
  /** Until the outcome was known, the kept part of the body included. */
  durationMs: number;
  /**
   * The phase that failed. `connect` includes a connection not made in time, `timeout` is the limit of the whole try,
   * `http` a status other than 2xx or a connection that gave no readable answer.
   */
  errorClass?: SendErrorClass;
  error?: string;
  responseHead?: string;
  /** The header as it came. */
  retryAfter?: string;
}

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string | Buffer;
}

export interface WebhookSenderOptions {
  allowHttp: boolean;
  /** CIDR networks opened although not public; a malformed one throws here. */
  allowNetworks: string[];
  /** Limit of the whole try: lookup, connection, answer. */
  timeoutMs?: number;
  /** Limit of lookup and connection, TLS included. */
  connectTimeoutMs?: number;
  /** Most that is read of an answer's body, and most that `responseHead` holds. */
  maxResponseBytes?: number;
  lookup?: Lookup;
}

export interface WebhookSender {
  /** Never rejects for what the receiver or the network does; after `close` it does reject, as no try was made. */
  send(request: WebhookRequest): Promise<SendOutcome>;
  /** Waits for the requests in flight. */
  close(): Promise<void>;
}

export function createWebhookSender({
  allowHttp,
  allowNetworks,
  timeoutMs = 15_000,
  connectTimeoutMs = 5_000,
  maxResponseBytes = 20_000,
  lookup,
}: WebhookSenderOptions): WebhookSender {
  parseNetworks(allowNetworks);
  const agent = new Agent({
    connect: vettedConnector({ connectTimeoutMs, allowNetworks, lookup }),
    allowH2: false,
    // One clock for the whole try, below; undici's would restart with each byte.
    headersTimeout: 0,
    bodyTimeout: 0,
    // A receiver may ask to keep a connection for longer; it holds a socket of ours.
    keepAliveMaxTimeout: 60_000,
    maxHeaderSize: 16_384,
  });

  async function exchange({ url, headers, body }: WebhookRequest, signal: AbortSignal): Promise<Omit<SendOutcome, 'durationMs'>> {
    const { origin, pathname, search } = checkUrl(url, { allowHttp, allowNetworks });
    const path = pathname + search;
    const answer = agent.request({ origin, path, method: 'POST', headers: requestHeaders(headers), body, signal });
    // undici heeds the signal only once a connection stands; a request called off before is then not sent.
    const response = await Promise.race([answer, rejectedOn(signal)]);
    return judged(response, await responseHead(response, maxResponseBytes));
  }

  return {
    async send(request) {
      const startedAt = performance.now();
      const clock = new AbortController();
      const timer = setTimeout(() => clock.abort(), timeoutMs);
      const outcome = await exchange(request, clock.signal)
        .catch((error) => failed(error, clock.signal.aborted ? timeoutMs : undefined))
        .finally(() => clearTimeout(timer));
      return { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
    },
    close: () => agent.close(),
  };
}

function rejectedOn(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

function judged({ statusCode: status, headers }: Dispatcher.ResponseData, head: string): Omit<SendOutcome, 'durationMs'> {
  const retryAfter = [headers['retry-after'] ?? []].flat()[0]?.slice(0, 100);
  const common = { status, responseHead: head, ...(retryAfter && { retryAfter }) };
  if (status >= 200 && status < 300) return { ok: true, ...common };
  const isRedirect = status >= 300 && status < 400;
  return { ok: false, ...common, errorClass: 'http', error: `HTTP ${status}${isRedirect ? ', redirects are not followed' : ''}` };
}

function failed(error: unknown, expiredMs: number | undefined): Omit<SendOutcome, 'durationMs'> {
  if (error instanceof errors.ClientClosedError || error instanceof errors.ClientDestroyedError) throw error;
  if (error instanceof ForbiddenAddress) return failure('ssrf', error.message);
  if (error instanceof ConnectFailed) return failure(error.errorClass, error.message);
  if (expiredMs !== undefined) return failure('timeout', `no answer within ${expiredMs} ms`);
  const { code, message } = error as NodeJS.ErrnoException;
  return failure('http', code ? `${message} (${code})` : message);
}

function failure(errorClass: SendErrorClass, error: string): Omit<SendOutcome, 'durationMs'> {
  return { ok: false, errorClass, error: error.replaceAll('\0', '').slice(0, 200) };
}
