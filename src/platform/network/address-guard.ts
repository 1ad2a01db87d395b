import { promises as dns } from 'node:dns';
import { isIP } from 'node:net';
import { closedRange, parseNetworks } from './address-ranges.ts';

/** For the endpoint's owner: never names the address behind a host name, which may be internal. */
export class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress';
}

export class LookupFailed extends Error {
  override name = 'LookupFailed';
}

export type Lookup = (hostname: string) => Promise<{ address: string }[]>;

export interface PinnedAddress {
  address: string;
  family: 4 | 6;
}

export interface UrlRules {
  allowHttp: boolean;
  /** CIDR networks opened although not public, for development. */
  allowNetworks: string[];
}

/** Judges the text alone; `resolvePublic` judges a name at each connect. */
export function checkUrl(text: string, { allowHttp, allowNetworks }: UrlRules): URL {
  const url = URL.parse(text);
  if (!url) throw new ForbiddenAddress('not a valid absolute URL');
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) {
    throw new ForbiddenAddress(allowHttp ? 'the URL must start with https:// or http://' : 'the URL must start with https://');
  }
  if (url.username || url.password) throw new ForbiddenAddress('the URL must not hold a user name or password');
  if (!url.hostname) throw new ForbiddenAddress('the URL has no host');
  // The URL parser has normalized decimal, octal, hex, short, escaped and full-width spellings.
  const host = bare(url.hostname);
  if (isIP(host)) refuseClosed(host, allowNetworks);
  return url;
}

export interface Resolve {
  allowNetworks: string[];
  timeoutMs: number;
  lookup?: Lookup;
}

/** Looks up once; one private address refuses the name. Throws ForbiddenAddress or LookupFailed. */
export async function resolvePublic(
  hostname: string,
  { allowNetworks, timeoutMs, lookup = systemLookup }: Resolve,
): Promise<PinnedAddress[]> {
  const host = bare(hostname);
  const family = isIP(host);
  if (family) {
    refuseClosed(host, allowNetworks);
    return [pinned(host)];
  }
  const found = await within(timeoutMs, lookup(host));
  if (found.length === 0) throw new LookupFailed('name lookup gave no address');
  const open = parseNetworks(allowNetworks);
  for (const { address } of found) {
    const range = closedRange(address, open);
    if (range) throw new ForbiddenAddress(`the host name leads to an address that is not public (${range})`);
  }
  return found.map(({ address }) => pinned(address));
}

export const systemLookup: Lookup = (hostname) => dns.lookup(hostname, { all: true });

function refuseClosed(host: string, allowNetworks: string[]): void {
  const range = closedRange(host, parseNetworks(allowNetworks));
  if (range) throw new ForbiddenAddress(`${host} is not a public address (${range})`);
}

function bare(hostname: string): string {
  return hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname;
}

function pinned(address: string): PinnedAddress {
  return { address, family: isIP(address) === 6 ? 6 : 4 };
}

async function within<T>(timeoutMs: number, lookup: Promise<T>): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  // The system's lookup cannot be cancelled; its late answer is dropped.
  const timer = setTimeout(() => reject(new LookupFailed(`name lookup took longer than ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([lookup, expired]);
  } catch (error) {
    if (error instanceof LookupFailed) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new LookupFailed(`name lookup failed${code ? `: ${code}` : ''}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
