import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import got, { HTTPError, RequestError } from 'got';
import { parseStorable } from '../../platform/storable-text.ts';
import { now } from '../../platform/time/clock.ts';
import { ProviderError, ProviderFailed, ProviderUnknown } from '../errors.ts';
import { failedBeforeWrite } from '../messaging-app/before-write.ts';

/** `takesEffect`: a request that changes something, so that a lost answer leaves a question. */
export type Answered = { status: number; body: string; retryAfterMs: number | undefined; takesEffect: boolean };

export type JsonCall = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  token: string;
  search?: Record<string, string>;
  json?: object;
  headers?: Record<string, string>;
  /** A POST that only reads. */
  isRead?: boolean;
};

export type JsonClient = {
  /** The reply's JSON; undefined for an empty one. Throws a ProviderError. */
  call(call: JsonCall): Promise<unknown>;
  close(): void;
};

type Options = {
  url: string;
  timeoutMs: number;
  /** For people: `the calendar`. */
  name: string;
  sorted(answer: Answered): ProviderError;
};

const largestReplyBytes = 2 * 1024 * 1024;

/** A service with a bearer token and JSON: one keep-alive pool, limits on time and size, every fault sorted. Never retries, follows no redirect. */
export function createJsonClient({ url, timeoutMs, name, sorted }: Options): JsonClient {
  const agent = {
    http: new HttpAgent({ keepAlive: true, maxSockets: 64 }),
    https: new HttpsAgent({ keepAlive: true, maxSockets: 64 }),
  };
  const client = got.extend({
    prefixUrl: url,
    agent,
    retry: { limit: 0 },
    followRedirect: false,
    timeout: { request: timeoutMs, connect: Math.min(5_000, timeoutMs) },
    responseType: 'text',
    headers: { accept: 'application/json', 'user-agent': 'Kanal/1.0' },
  });

  const unsure = (message: string, isSent: boolean, more: { code?: string; cause?: unknown } = {}) =>
    isSent ? new ProviderUnknown(message, more) : new ProviderFailed(message, more);

  function sort(error: unknown, takesEffect: boolean, isTooLarge: boolean): ProviderError {
    if (error instanceof ProviderError) return error;
    if (isTooLarge) return unsure(`The answer of ${name} is larger than 2 MiB`, takesEffect, { cause: error });
    if (error instanceof HTTPError) {
      const { statusCode: status, body, headers } = error.response;
      return sorted({ status, body: String(body ?? ''), retryAfterMs: retryAfterMs(headers['retry-after']), takesEffect });
    }
    const code = error instanceof RequestError ? error.code : undefined;
    const isSent = takesEffect && !failedBeforeWrite(error);
    return unsure(`No answer from ${name} (${code ?? 'failed'})`, isSent, { code, cause: error });
  }

  return {
    async call({ method, path, token, search, json, headers, isRead = method === 'GET' }) {
      const tooLarge = new AbortController();
      try {
        const request = client(path, {
          method,
          searchParams: search,
          json,
          signal: tooLarge.signal,
          headers: { ...headers, authorization: `Bearer ${token}` },
        });
        request.on('downloadProgress', ({ transferred }) => {
          if (transferred > largestReplyBytes) tooLarge.abort();
        });
        const { statusCode: status, body } = await request;
        // Redirects are not followed, and their bodies answer nothing.
        if (status >= 300) throw sorted({ status, body: '', retryAfterMs: undefined, takesEffect: !isRead });
        return body === '' ? undefined : parseStorable(body);
      } catch (error) {
        if (error instanceof SyntaxError) throw unsure(`The answer of ${name} is not JSON`, !isRead);
        throw sort(error, !isRead, tooLarge.signal.aborted);
      }
    },
    close() {
      agent.http.destroy();
      agent.https.destroy();
    },
  };
}

const longestWaitMs = 3_600_000;

/** Seconds, or a time. */
function retryAfterMs(header: string | undefined): number | undefined {
  if (!header) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestWaitMs);
}
