import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import got, { HTTPError, RequestError } from 'got';
import { ProviderFailed, ProviderRefused, ProviderUnknown } from '../errors.ts';
import { failedBeforeWrite } from './before-write.ts';
import { type GraphError, sortedError } from './error-codes.ts';

export type GraphClient = {
  get(path: string, accessToken: string, search?: Record<string, string>): Promise<unknown>;
  post(path: string, accessToken: string, body: object, readFault?: ReadFault): Promise<unknown>;
  delete(path: string, accessToken: string, body?: object, readFault?: ReadFault): Promise<unknown>;
  close(): void;
};

/** A more exact reason than the error of the whole answer, if there is one. */
export type ReadFault = (body: unknown) => GraphError | undefined;

const largestReplyBytes = 2 * 1024 * 1024;

/** One keep-alive pool, limits on time and size, every fault sorted. Never retries. */
export function createGraphClient({ baseUrl, timeoutMs }: { baseUrl: string; timeoutMs: number }): GraphClient {
  const agent = {
    http: new HttpAgent({ keepAlive: true, maxSockets: 256 }),
    https: new HttpsAgent({ keepAlive: true, maxSockets: 256 }),
  };
  const client = got.extend({
    prefixUrl: baseUrl,
    agent,
    retry: { limit: 0 },
    followRedirect: false,
    timeout: { request: timeoutMs, connect: Math.min(5_000, timeoutMs) },
    responseType: 'text',
    headers: { accept: 'application/json', 'user-agent': 'Kanal/1.0' },
  });

  async function call(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    accessToken: string,
    more: { json?: object; searchParams?: Record<string, string> },
    readFault?: ReadFault,
  ) {
    try {
      const tooLarge = new AbortController();
      const request = client(path, {
        method,
        ...more,
        signal: tooLarge.signal,
        headers: { authorization: `Bearer ${accessToken}` },
      });
      request.on('downloadProgress', ({ transferred }) => {
        if (transferred > largestReplyBytes) tooLarge.abort();
      });
      const response = await request;
      // Redirects are not followed, and their bodies answer nothing.
      if (response.statusCode >= 300) throw sortReply(response.statusCode, '', undefined, method);
      return parse(response.body);
    } catch (error) {
      throw sort(error, method, readFault);
    }
  }

  return {
    get: (path, accessToken, searchParams) => call('GET', path, accessToken, { searchParams }),
    post: (path, accessToken, json, readFault) => call('POST', path, accessToken, { json }, readFault),
    delete: (path, accessToken, json, readFault) => call('DELETE', path, accessToken, { ...(json && { json }) }, readFault),
    close() {
      agent.http.destroy();
      agent.https.destroy();
    },
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new ProviderUnknown('The provider answered with something that is not JSON');
  }
}

function sort(error: unknown, method: string, readFault?: ReadFault) {
  if (error instanceof ProviderRefused || error instanceof ProviderFailed) return error;
  if (error instanceof ProviderUnknown) return method === 'GET' ? new ProviderFailed(error.message) : error;
  if (error instanceof HTTPError)
    return sortReply(
      error.response.statusCode,
      String(error.response.body ?? ''),
      retryAfterMs(error.response.headers['retry-after']),
      method,
      readFault,
    );
  const code = error instanceof RequestError ? error.code : undefined;
  const message = `No answer from the provider (${code ?? 'failed'})`;
  return failedBeforeWrite(error) || method === 'GET'
    ? new ProviderFailed(message, { code, cause: error })
    : new ProviderUnknown(message, { code, cause: error });
}

/** The provider's own error shape is believed; another 5xx is a gateway's, which cannot know what took effect. */
function sortReply(status: number, body: string, retryAfter: number | undefined, method: string, readFault?: ReadFault) {
  const graph = graphError(body, readFault);
  if (graph) return sortedError(graph, retryAfter);
  if (status >= 500 || status === 408)
    return method === 'GET'
      ? new ProviderFailed(`The provider answered ${status}`)
      : new ProviderUnknown(`The provider answered ${status} without a reason`);
  if (status === 429) return sortedError({ code: 4, message: 'The provider asks to slow down' }, retryAfter);
  return new ProviderRefused(`The provider answered ${status} without a reason`, { code: `http_${status}` });
}

function graphError(body: string, readFault?: ReadFault): GraphError | undefined {
  try {
    const reply = JSON.parse(body) as { error?: { code?: unknown; message?: unknown; error_data?: { details?: unknown } } };
    const closer = readFault?.(reply);
    if (closer) return closer;
    const { error } = reply;
    if (!error || typeof error.code !== 'number') return undefined;
    const details = error.error_data?.details;
    return { code: error.code, message: String(error.message ?? 'Refused'), ...(typeof details === 'string' && { details }) };
  } catch {
    return undefined;
  }
}

const retryAfterMs = (header: string | undefined) =>
  header && /^\d{1,5}$/.test(header) ? Math.min(Number(header), 300) * 1000 : undefined;
