import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import got, { HTTPError, type OptionsInit, RequestError } from 'got';
import { ForbiddenAddress } from '../../platform/network/address-guard.ts';
import { guardedLookup } from '../../platform/network/guarded-lookup.ts';
import { parseStorable } from '../../platform/storable-text.ts';
import { ProviderFailed, ProviderRefused, ProviderUnknown } from '../errors.ts';
import { failedBeforeWrite } from './before-write.ts';
import { documentLink, isOwnOrigin } from './document-link.ts';
import { detailsOf, type GraphError, sortedError } from './error-codes.ts';
import { type FormFile, limited, linkOf, multipartOf } from './media-streams.ts';

export type GraphClient = {
  /** Without a token: the search says who asks. */
  get(path: string, accessToken: string | undefined, search?: Record<string, string>): Promise<unknown>;
  post(path: string, accessToken: string, body: object, readFault?: ReadFault): Promise<unknown>;
  delete(path: string, accessToken: string, body?: object, readFault?: ReadFault): Promise<unknown>;
  /** `bytes`: how many it has, where that is known. */
  download<Taken>(
    link: string,
    accessToken: string,
    size: { maxBytes: number; bytes: number | undefined },
    take: (stream: Readable) => Promise<Taken>,
  ): Promise<Taken>;
  /** A document at an address that a reply named. No token goes along: the address is its own permission. */
  document(link: string, maxBytes: number): Promise<string>;
  upload(path: string, accessToken: string, form: FormFile): Promise<unknown>;
  close(): void;
};

/** A more exact reason than the error of the whole answer, if there is one. */
export type ReadFault = (body: unknown) => GraphError | undefined;

const largestReplyBytes = 2 * 1024 * 1024;
/** As long as a link lives; an idle transfer ends after the timeout of a call. */
const transferMs = 300_000;

/** `mediaHosts`: beside the provider's own address, the only ones that are sent a token for a file. */
export type GraphOptions = {
  baseUrl: string;
  timeoutMs: number;
  mediaHosts?: string[];
  /** Beside the provider's own, the only origins a document is fetched from, and only at public addresses or these networks. */
  origins?: string[];
  allowNetworks?: string[];
};

/** One keep-alive pool, limits on time and size, every fault sorted. Never retries. */
export function createGraphClient({ baseUrl, timeoutMs, mediaHosts = [], ...rules }: GraphOptions): GraphClient {
  const { origins = [], allowNetworks = [] } = rules;
  const agent = {
    http: new HttpAgent({ keepAlive: true, maxSockets: 256 }),
    https: new HttpsAgent({ keepAlive: true, maxSockets: 256 }),
  };
  /** Every connection is judged anew. */
  const guarded = {
    agent: { http: new HttpAgent(), https: new HttpsAgent() },
    dnsLookup: guardedLookup({ allowNetworks, timeoutMs }),
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
    accessToken: string | undefined,
    more: Pick<OptionsInit, 'json' | 'searchParams' | 'body' | 'timeout'> & { headers?: Record<string, string> },
    readFault?: ReadFault,
  ) {
    try {
      const tooLarge = new AbortController();
      const request = client(path, {
        method,
        ...more,
        signal: tooLarge.signal,
        headers: { ...more.headers, ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }) },
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

  const transfer = {
    timeout: { connect: Math.min(5_000, timeoutMs), socket: timeoutMs, response: timeoutMs, request: transferMs },
  };

  async function download<Taken>(
    link: string,
    accessToken: string,
    size: { maxBytes: number; bytes: number | undefined },
    take: (stream: Readable) => Promise<Taken>,
  ): Promise<Taken> {
    const url = linkOf(link, { baseUrl, mediaHosts });
    return fetched(url, { headers: { authorization: `Bearer ${accessToken}`, accept: '*/*' } }, size, take);
  }

  async function document(link: string, maxBytes: number): Promise<string> {
    const url = documentLink(link, { baseUrl, origins, allowNetworks });
    const options = { headers: { accept: '*/*' }, ...(!isOwnOrigin(url, baseUrl) && guarded) };
    const chunks = await fetched(url, options, { maxBytes, bytes: undefined }, (stream) => stream.toArray());
    return Buffer.concat(chunks as Buffer[]).toString('utf8');
  }

  async function fetched<Taken>(
    url: URL,
    options: Pick<OptionsInit, 'agent' | 'dnsLookup'> & { headers: Record<string, string> },
    size: { maxBytes: number; bytes: number | undefined },
    take: (stream: Readable) => Promise<Taken>,
  ): Promise<Taken> {
    const request = client.stream(url, { ...transfer, decompress: false, throwHttpErrors: false, ...options });
    const reading = limited(request, size);
    try {
      const { statusCode } = await reading.response.catch((error) => {
        throw sort(error, 'GET');
      });
      if (statusCode !== 200) throw linkFault(sortReply(statusCode, await reading.start(), undefined, 'GET'));
      return await take(reading.stream).catch((error) => {
        throw reading.fault() ? sort(reading.fault(), 'GET') : error;
      });
    } finally {
      request.destroy();
    }
  }

  async function upload(path: string, accessToken: string, form: FormFile): Promise<unknown> {
    const { stream: body, headers, fault } = multipartOf(form);
    try {
      return await call('POST', path, accessToken, { ...transfer, body, headers });
    } catch (error) {
      throw fault() ?? error;
    }
  }

  return {
    download,
    document,
    upload,
    get: (path, accessToken, searchParams) => call('GET', path, accessToken, { searchParams }),
    post: (path, accessToken, json, readFault) => call('POST', path, accessToken, { json }, readFault),
    delete: (path, accessToken, json, readFault) => call('DELETE', path, accessToken, { ...(json && { json }) }, readFault),
    close() {
      agent.http.destroy();
      agent.https.destroy();
    },
  };
}

/** The link was good a moment ago: a new one is asked for, unless the token itself is refused. */
const linkFault = (error: Error) =>
  error instanceof ProviderRefused && !error.stopsChannel
    ? new ProviderFailed(`The link of the file is not good: ${error.message}`, { cause: error })
    : error;

function parse(body: string): unknown {
  try {
    return parseStorable(body);
  } catch {
    throw new ProviderUnknown('The provider answered with something that is not JSON');
  }
}

function sort(error: unknown, method: string, readFault?: ReadFault) {
  if (error instanceof ProviderRefused || error instanceof ProviderFailed) return error;
  const { cause } = error as { cause?: unknown };
  if (cause instanceof ForbiddenAddress)
    return new ProviderFailed(`The link is not followed: ${cause.message}`, { code: 'link', cause });
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
    const reply = parseStorable(body) as { error?: { code?: unknown; message?: unknown } };
    const closer = readFault?.(reply);
    if (closer) return closer;
    const { error } = reply;
    if (!error || typeof error.code !== 'number') return undefined;
    const details = detailsOf(error);
    return { code: error.code, message: String(error.message ?? 'Refused'), ...(details !== undefined && { details }) };
  } catch {
    return undefined;
  }
}

const retryAfterMs = (header: string | undefined) =>
  header && /^\d{1,5}$/.test(header) ? Math.min(Number(header), 300) * 1000 : undefined;
