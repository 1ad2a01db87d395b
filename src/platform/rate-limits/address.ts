import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A customer has at least a /64 of IPv6, so a /64 counts as one address. All invalid texts count as one. */
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

/** Some proxies add the client's port: every connection would be another address. */
const withoutPort = (text: string) =>
  /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
