import got, { HTTPError, RequestError } from 'got';
import { ProviderError, ProviderFailed } from '../errors.ts';
import { sortedReply } from './error-codes.ts';

const largestReplyBytes = 64 * 1024;

export type AskToken = (url: string, form: URLSearchParams, basic?: { user: string; password: string }) => Promise<object>;

/** Limits on time and size, no redirects, every fault sorted. Never retries. */
export function createTokenClient({ timeoutMs }: { timeoutMs: number }): AskToken {
  return async (url, form, basic) => {
    const tooLarge = new AbortController();
    try {
      const request = got.post(url, {
        // Asked once an hour: a connection that was kept would be dead by then.
        agent: { http: false, https: false },
        retry: { limit: 0 },
        followRedirect: false,
        timeout: { request: timeoutMs, connect: Math.min(5_000, timeoutMs) },
        responseType: 'text',
        signal: tooLarge.signal,
        body: form.toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
          'user-agent': 'Kanal/1.0',
          ...(basic && { authorization: `Basic ${Buffer.from(`${basic.user}:${basic.password}`).toString('base64')}` }),
        },
      });
      request.on('downloadProgress', ({ transferred }) => {
        if (transferred > largestReplyBytes) tooLarge.abort();
      });
      const { statusCode, body } = await request;
      if (statusCode !== 200) throw sortedReply(statusCode, body);
      return objectOf(body);
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      if (error instanceof HTTPError) throw sortedReply(error.response.statusCode, String(error.response.body ?? ''));
      const code = error instanceof RequestError ? error.code : undefined;
      // No cause: got's error holds the request, whose body has the credentials.
      throw new ProviderFailed(`No answer to a request for an access token (${code ?? 'failed'})`, { code });
    }
  };
}

function objectOf(body: string): object {
  try {
    const reply: unknown = JSON.parse(body);
    if (reply && typeof reply === 'object') return reply;
  } catch {}
  throw new ProviderFailed('The answer to a request for an access token is not JSON');
}
