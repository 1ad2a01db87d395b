import got, { HTTPError, RequestError } from 'got';
import { ProviderError, ProviderFailed, ProviderRefused } from '../errors.ts';
import { readFeed } from './feed.ts';
import type { DailyRates, ExchangeRates } from './provider.ts';

/** A day of the feed has 2 kB, 90 days 200 kB. */
const largestFeedBytes = 1024 * 1024;
/** Every organization has a job of its own; a worker asks the feed once for all of them. */
const keptMs = 600_000;

/** Limits on time and size, every fault sorted. Never retries. */
export function feedOfRates({ url, timeoutMs }: { url: string; timeoutMs: number }): ExchangeRates {
  let kept: { rates: Promise<DailyRates>; until: number } | undefined;
  return {
    latest() {
      if (kept && performance.now() < kept.until) return kept.rates;
      const rates = fetchFeed(url, timeoutMs);
      kept = { rates, until: performance.now() + keptMs };
      rates.catch(() => {
        kept = undefined;
      });
      return rates;
    },
  };
}

async function fetchFeed(url: string, timeoutMs: number): Promise<DailyRates> {
  const tooLarge = new AbortController();
  try {
    const request = got(url, {
      // Asked once a day: a connection that was kept would be dead by then.
      agent: { http: false, https: false },
      retry: { limit: 0 },
      followRedirect: false,
      timeout: { request: timeoutMs, connect: Math.min(5_000, timeoutMs) },
      responseType: 'text',
      signal: tooLarge.signal,
      headers: { accept: 'application/xml, text/xml', 'user-agent': 'Kanal/1.0' },
    });
    request.on('downloadProgress', ({ transferred }) => {
      if (transferred > largestFeedBytes) tooLarge.abort();
    });
    const { statusCode, body } = await request;
    if (statusCode !== 200) throw sortStatus(statusCode);
    return readFeed(body);
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    if (tooLarge.signal.aborted) throw new ProviderRefused('The feed of exchange rates is larger than 1 MiB', { cause: error });
    if (error instanceof HTTPError) throw sortStatus(error.response.statusCode);
    const code = error instanceof RequestError ? error.code : undefined;
    throw new ProviderFailed(`No answer from the feed of exchange rates (${code ?? 'failed'})`, { code, cause: error });
  }
}

/** A wrong address stays wrong. */
function sortStatus(status: number): ProviderError {
  const message = `The feed of exchange rates answered ${status}`;
  const isPassing = status >= 500 || status === 408 || status === 429;
  return isPassing ? new ProviderFailed(message) : new ProviderRefused(message, { code: `http_${status}` });
}
