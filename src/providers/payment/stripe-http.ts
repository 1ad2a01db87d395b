import type Stripe from 'stripe';
import { parseStorable } from '../../platform/storable-text.ts';
import { ProviderError, ProviderFailed, ProviderUnknown } from '../errors.ts';
import type { Answer, BoundedClient } from './client.ts';

type Client = NonNullable<NonNullable<ConstructorParameters<typeof Stripe>[1]>['httpClient']>;
type Response = Awaited<ReturnType<Client['makeRequest']>>;

/**
 * What the package sends goes through our own client, which has limits. The package repeats a closed connection once even with its retries
 * off: the fault it gets has no code, so it never does.
 */
export function stripeHttp({ call }: BoundedClient): Client {
  return {
    getClientName: () => 'kanal',
    async makeRequest(host, port, path, method, headers, body, protocol) {
      const url = `${protocol}://${host}:${port}${path}`;
      const given = Object.fromEntries(
        Object.entries(headers)
          .filter(([name]) => name.toLowerCase() !== 'content-length')
          .map(([name, value]) => [name.toLowerCase(), String(value)]),
      );
      try {
        return responseOf(await call(method, url, { headers: given, ...(method === 'POST' && { body }) }), method);
      } catch (error) {
        throw new Fault(error);
      }
    },
  };
}

/** Carries our own sorted fault through the package. */
class Fault extends Error {
  readonly sorted: unknown;
  constructor(sorted: unknown) {
    super('No answer');
    this.sorted = sorted;
  }
}

/** Of an error that the package threw; undefined: it is the provider's own answer. */
export function faultBehind(error: unknown): ProviderError | undefined {
  const { detail, exception, raw } = error as Record<'detail' | 'exception' | 'raw', unknown>;
  const inner = [error, detail, exception, (raw as Record<string, unknown>)?.detail, (raw as Record<string, unknown>)?.exception];
  for (const one of inner) {
    if (one instanceof ProviderError) return one;
    if (one instanceof Fault && one.sorted instanceof ProviderError) return one.sorted;
  }
  return undefined;
}

const responseOf = ({ status, headers, body }: Answer, method: string): Response => ({
  getStatusCode: () => status,
  getHeaders: () => headers,
  getRawResponse: () => ({ headers, statusCode: status }),
  toStream() {
    throw new Error('Nothing is streamed');
  },
  async toJSON() {
    try {
      const parsed: unknown = parseStorable(body);
      if (typeof parsed === 'object' && parsed !== null && (status < 400 || 'error' in parsed)) return parsed;
    } catch {
      // Said below.
    }
    const message = `Stripe answered ${status} with something that is not its own`;
    throw method === 'GET' ? new ProviderFailed(message) : new ProviderUnknown(message);
  },
});
