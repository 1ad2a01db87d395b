import { setTimeout as pause } from 'node:timers/promises';
import { innermost } from '../failure.ts';
import { type Api, Refused } from './api.ts';
import { testEndpoint } from './endpoint.ts';
import { isLoopback, type Target } from './target.ts';

const tunnel = 'open a tunnel to a port of your choice and name both: --port 8090 --public-url https://my-tunnel.example';

/** Kanal on another machine would deliver to that machine's own loopback address. */
export function assertReachable({ url }: Target, publicUrl: string | undefined) {
  if (publicUrl === undefined && !isLoopback(url))
    throw new Error(`Kanal at ${url} is on another machine and cannot reach this one at 127.0.0.1: ${tunnel}`);
}

/** Says what to do about an address that Kanal refuses; other errors as they are. */
export function explained(error: unknown, { url: kanal }: Target, url: string): unknown {
  if (!(error instanceof Refused && error.field === 'url')) return error;
  return new Error(
    `${error.message}. Kanal at ${kanal} does not deliver to ${url}: where you run it for development, set WEBHOOK_ALLOW_HTTP=true and WEBHOOK_ALLOW_NETWORKS=127.0.0.0/8 for web and worker, as \`npm start\` does; else ${tunnel}`,
  );
}

const testMs = 10_000;

/** Has Kanal send a test, and says whether it came. */
export async function checkArrival(api: Api, endpointId: string, tested: Promise<void>, url: string): Promise<string> {
  const startedAt = performance.now();
  const waited = new AbortController();
  const late = pause(testMs, 'late', { signal: waited.signal, ref: false }).catch(() => 'late');
  // The reply may come long after the test itself, and never says that it arrived here.
  const refused = testEndpoint(api, endpointId).then(() => late, innermost);
  const outcome = await Promise.race([tested.then(() => 'here'), refused]);
  waited.abort();
  if (outcome === 'here')
    return `A test arrived and is verified, ${Math.round(performance.now() - startedAt)} ms after it was asked for`;
  if (outcome === 'late')
    return `No test arrived within ${testMs / 1000} s. Is a worker running, and does ${url} lead here from where it runs?`;
  return `Kanal cannot deliver here: ${outcome}`;
}
