import { Agent, errors } from 'undici';
import { cut } from '../platform/cut.ts';
import { checkUrl, ForbiddenAddress, type Lookup } from '../platform/network/address-guard.ts';
import { parseNetworks } from '../platform/network/address-ranges.ts';
import { type Answer, answerReader } from './answer.ts';
import { maxAnswerBytes, withoutFloods } from './flood-guard.ts';
import { type Phase, PhaseClock, type PhaseTimes, timed } from './phase-clock.ts';
import { requestHeaders } from './request-headers.ts';
import { responseHead } from './response-head.ts';
import { ConnectFailed, vettedConnector } from './vetted-connector.ts';

export const errorClasses = ['dns', 'connect', 'tls', 'ssrf', 'timeout', 'http'] as const;
export type SendErrorClass = (typeof errorClasses)[number];

export interface SendOutcome {
  ok: boolean;
  status?: number;
  durationMs: number;
  /** `connect` includes its time limit, `timeout` is the whole attempt's; `http`: not 2xx, or no readable answer. */
  errorClass?: SendErrorClass;
  error?: string;
  responseHead?: string;
  /** Of a sender with `maxBodyBytes`, in place of `responseHead`. */
  body?: Buffer;
  retryAfter?: string;
  /** Where an attempt that failed had come to. */
  phase?: Phase;
  phases?: PhaseTimes;
}

type Judged = Omit<SendOutcome, 'durationMs' | 'phase' | 'phases'>;

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string | Buffer;
  /** Of this attempt, where that is less than the sender's `timeoutMs`. */
  withinMs?: number;
}

export interface WebhookSenderOptions {
  allowHttp: boolean;
  allowNetworks: string[];
  /** For the whole attempt: lookup, connection, answer. */
  timeoutMs?: number;
  /** For lookup and connection, TLS included. */
  connectTimeoutMs?: number;
  /** For what is read of a body, and for `responseHead`. */
  maxResponseBytes?: number;
  /** The answer matters: its body is read whole. One that is longer, or breaks off, fails the attempt. */
  maxBodyBytes?: number;
  lookup?: Lookup;
}

export interface WebhookSender {
  /** Rejects only after `close`, when no attempt was made. */
  send(request: WebhookRequest): Promise<SendOutcome>;
  close(): Promise<void>;
}

export function createWebhookSender({
  allowHttp,
  allowNetworks,
  timeoutMs = 15_000,
  connectTimeoutMs = 5_000,
  maxResponseBytes = 20_000,
  maxBodyBytes,
  lookup,
}: WebhookSenderOptions): WebhookSender {
  parseNetworks(allowNetworks);
  const agent = new Agent({
    connect: withoutFloods(vettedConnector({ connectTimeoutMs, allowNetworks, lookup }), maxAnswerBytes + (maxBodyBytes ?? 0)),
    allowH2: false,
    // One clock for the whole attempt, below; undici's restarts with each byte.
    headersTimeout: 0,
    bodyTimeout: 0,
    // A receiver may ask for longer, and would hold one of our sockets.
    keepAliveMaxTimeout: 60_000,
    maxHeaderSize: 16_384,
  });

  async function exchange({ url, headers, body, withinMs = timeoutMs }: WebhookRequest, clock: PhaseClock): Promise<Judged> {
    const { origin, pathname, search } = checkUrl(url, { allowHttp, allowNetworks });
    const request = { origin, path: pathname + search, method: 'POST', headers: requestHeaders(headers), body } as const;
    const reader = answerReader(maxBodyBytes ?? maxResponseBytes, () => clock.enter('body'));
    const limitMs = Math.round(Math.min(timeoutMs, withinMs));
    const timer = setTimeout(() => reader.stop(new Expired(`no answer within ${limitMs} ms`)), limitMs);
    try {
      timed(clock, () => agent.dispatch(request, reader.handler));
      const answer = await reader.answer;
      if (maxBodyBytes === undefined) return { ...judged(answer), responseHead: responseHead(answer, maxResponseBytes) };
      if (answer.fault) throw answer.fault;
      return { ...judged(answer), body: answer.body };
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async send(request) {
      const startedAt = performance.now();
      const clock = new PhaseClock();
      const outcome = await exchange(request, clock).catch(failed);
      const phase = outcome.ok ? undefined : phaseOf(outcome, clock);
      return { ...outcome, durationMs: Math.round(performance.now() - startedAt), phases: clock.end(), ...(phase && { phase }) };
    },
    close: () => agent.close(),
  };
}

class Expired extends Error {
  override name = 'Expired';
}

/** The phase in which a name or an address was refused is `dns`, whatever was asked of the network. */
function phaseOf({ status, errorClass }: Judged, clock: PhaseClock): Phase {
  if (status !== undefined) return 'response';
  if (errorClass === 'ssrf') return 'dns';
  return errorClass === 'dns' || errorClass === 'tls' ? errorClass : clock.phase;
}

function judged({ status, headers }: Answer): Judged {
  const retryAfter = cut([headers['retry-after'] ?? []].flat()[0] ?? '', 100);
  const common = { status, ...(retryAfter && { retryAfter }) };
  if (status >= 200 && status < 300) return { ok: true, ...common };
  const isRedirect = status >= 300 && status < 400;
  return { ok: false, ...common, errorClass: 'http', error: `HTTP ${status}${isRedirect ? ', redirects are not followed' : ''}` };
}

function failed(error: unknown): Judged {
  if (error instanceof errors.ClientClosedError || error instanceof errors.ClientDestroyedError) throw error;
  if (error instanceof ForbiddenAddress) return failure('ssrf', error.message);
  if (error instanceof ConnectFailed) return failure(error.errorClass, error.message);
  if (error instanceof Expired) return failure('timeout', error.message);
  const { code, message } = error as NodeJS.ErrnoException;
  // undici's own assertion, about a status below 100.
  if (code === 'ERR_ASSERTION') return failure('http', 'the answer is not valid HTTP');
  return failure('http', code ? `${message} (${code})` : message);
}

function failure(errorClass: SendErrorClass, error: string): Judged {
  return { ok: false, errorClass, error: cut(error.replaceAll('\0', ''), 200) };
}
