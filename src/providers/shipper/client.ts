import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import got, { HTTPError, RequestError } from 'got';
import { parseStorable } from '../../platform/storable-text.ts';
import { ProviderError, ProviderFailed, ProviderUnknown } from '../errors.ts';
import { failedBeforeWrite } from '../messaging-app/before-write.ts';
import { sortedAnswer } from './error-codes.ts';

export type ShipperClient = {
  get(path: string, key: string, search?: Record<string, string>, timeoutMs?: number): Promise<unknown>;
  /** `isRead`: it changes nothing, so that a lost answer is no question. */
  post(path: string, key: string, body: object, isRead?: boolean): Promise<unknown>;
  close(): void;
};

/** A hundred rates have 60 kB. */
const largestReplyBytes = 2 * 1024 * 1024;

/** One keep-alive pool, limits on time and size, every fault sorted. Never retries, follows no redirect. */
export function createShipperClient({ url, timeoutMs }: { url: string; timeoutMs: number }): ShipperClient {
  const agent = {
    http: new HttpAgent({ keepAlive: true, maxSockets: 64 }),
    https: new HttpsAgent({ keepAlive: true, maxSockets: 64 }),
  };
  const client = got.extend({
    prefixUrl: url,
    agent,
    retry: { limit: 0 },
    followRedirect: false,
    responseType: 'text',
    headers: { accept: 'application/json', 'user-agent': 'Kanal/1.0' },
  });

  type Call = { method: 'GET' | 'POST'; path: string; key: string; takesEffect: boolean; limitMs?: number };

  async function call({ method, path, key, takesEffect, limitMs: asked = timeoutMs }: Call, more: object): Promise<unknown> {
    const limitMs = Math.min(asked, timeoutMs);
    const tooLarge = new AbortController();
    try {
      const request = client(path, {
        method,
        ...more,
        signal: tooLarge.signal,
        timeout: { request: limitMs, connect: Math.min(5_000, limitMs) },
        headers: { authorization: key },
      });
      request.on('downloadProgress', ({ transferred }) => {
        if (transferred > largestReplyBytes) tooLarge.abort();
      });
      const { statusCode, body } = await request;
      if (statusCode >= 300) throw sortedAnswer({ status: statusCode, body: '', takesEffect });
      return parse(body, takesEffect);
    } catch (error) {
      throw sort(error, takesEffect, tooLarge.signal.aborted);
    }
  }

  return {
    get: (path, key, searchParams, limitMs) => call({ method: 'GET', path, key, takesEffect: false, limitMs }, { searchParams }),
    post: (path, key, json, isRead = false) => call({ method: 'POST', path, key, takesEffect: !isRead }, { json }),
    close() {
      agent.http.destroy();
      agent.https.destroy();
    },
  };
}

const unsure = (message: string, takesEffect: boolean, more: { code?: string; cause?: unknown } = {}) =>
  takesEffect ? new ProviderUnknown(message, more) : new ProviderFailed(message, more);

function parse(body: string, takesEffect: boolean): unknown {
  try {
    return parseStorable(body);
  } catch {
    throw unsure('The shipper answered with something that is not JSON', takesEffect);
  }
}

function sort(error: unknown, takesEffect: boolean, isTooLarge: boolean): ProviderError {
  if (error instanceof ProviderError) return error;
  if (isTooLarge) return unsure('The answer of the shipper is larger than 2 MiB', takesEffect, { cause: error });
  if (error instanceof HTTPError) {
    const { statusCode: status, body, headers } = error.response;
    return sortedAnswer({
      status,
      body: String(body ?? ''),
      retryAfterMs: retryAfterMs(headers['retry-after']),
      takesEffect,
    });
  }
  const code = error instanceof RequestError ? error.code : undefined;
  const isSent = takesEffect && !failedBeforeWrite(error);
  return unsure(`No answer from the shipper (${code ?? 'failed'})`, isSent, { code, cause: error });
}

const retryAfterMs = (header: string | undefined) => (header && /^\d{1,5}$/.test(header) ? Number(header) * 1_000 : undefined);
