import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import got, { RequestError } from 'got';
import { ProviderError, ProviderFailed, ProviderUnknown } from '../errors.ts';
import { failedBeforeWrite } from '../messaging-app/before-write.ts';

export type Answer = { status: number; headers: Record<string, string>; body: string };

export type BoundedCall = (
  method: string,
  url: string,
  given: { headers: Record<string, string>; body?: string },
) => Promise<Answer>;

export type BoundedClient = { call: BoundedCall; close(): void };

const largestReplyBytes = 1024 * 1024;

/** One keep-alive pool, limits on time and size; follows no redirect, never retries. Throws only where no whole answer came. */
export function boundedClient({ name, timeoutMs }: { name: string; timeoutMs: number }): BoundedClient {
  const agent = {
    http: new HttpAgent({ keepAlive: true, maxSockets: 64 }),
    https: new HttpsAgent({ keepAlive: true, maxSockets: 64 }),
  };
  const client = got.extend({
    agent,
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    timeout: { request: timeoutMs, connect: Math.min(5_000, timeoutMs) },
    responseType: 'text',
  });

  async function call(method: string, url: string, { headers, body }: Parameters<BoundedCall>[2]): Promise<Answer> {
    const tooLarge = new AbortController();
    try {
      const request = client(url, {
        method: method as 'GET' | 'POST' | 'DELETE',
        headers: { 'user-agent': 'Kanal/1.0', ...headers },
        ...(body !== undefined && { body }),
        signal: tooLarge.signal,
      });
      request.on('downloadProgress', ({ transferred }) => {
        if (transferred > largestReplyBytes) tooLarge.abort();
      });
      const { statusCode, headers: given, body: text } = await request;
      const plain = Object.entries(given).map(([key, value]) => [key, Array.isArray(value) ? value.join(', ') : String(value)]);
      return { status: statusCode, headers: Object.fromEntries(plain), body: text };
    } catch (error) {
      throw sort(error, name, method, tooLarge.signal.aborted);
    }
  }

  return {
    call,
    close() {
      agent.http.destroy();
      agent.https.destroy();
    },
  };
}

function sort(error: unknown, name: string, method: string, isTooLarge: boolean): ProviderError {
  if (error instanceof ProviderError) return error;
  const code = isTooLarge ? 'too_large' : error instanceof RequestError ? error.code : undefined;
  const message = isTooLarge ? `The answer of ${name} is larger than 1 MiB` : `No answer from ${name} (${code ?? 'failed'})`;
  return method === 'GET' || (!isTooLarge && failedBeforeWrite(error))
    ? new ProviderFailed(message, { code, cause: error })
    : new ProviderUnknown(message, { code, cause: error });
}

export const retryAfterMs = (header: string | undefined) =>
  header && /^\d{1,5}$/.test(header) ? Math.min(Number(header), 300) * 1000 : undefined;
