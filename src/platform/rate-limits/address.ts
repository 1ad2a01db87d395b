import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * What an address counts as. One customer of a provider has at least a /64 of IPv6, so that is one address here; an IPv4 address in
 * IPv6 clothes is the IPv4 address. What is none, a proxy's word for a client it does not know, is one for all.
 */
export function countedAddress(given: string | undefined): string {
  const address = withoutPort(given?.trim() ?? '').split('%')[0]!;
  const version = isIP(address);
  if (version === 4) return address;
  if (version === 0) return 'unknown';
  const ip = ipaddr.process(address);
  if (ip.kind() === 'ipv4') return ip.toString();
  const network = (ip as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** Some proxies name the client's port too; with it every connection would be an address of its own. */
const withoutPort = (text: string) =>
  /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
