import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = [Address, number];

/** The settings' list is asked about with each delivery. */
const parsed = new WeakMap<string[], Network[]>();

// Named apart for a clear reason; Azure's 168.63.129.16 is in a public range.
const METADATA: Network[] = parseNetworks([
  '169.254.169.254/32',
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
]);

// IANA assigns global unicast addresses only from here.
const GLOBAL_IPV6: Network[] = parseNetworks(['2000::/3']);

const RETIRED: Network[] = parseNetworks(['3ffe::/16']);

const NAMES: Record<string, string> = {
  carrierGradeNat: 'carrier-grade NAT',
  linkLocal: 'link-local',
  rfc6052: 'NAT64',
  rfc6145: 'IPv4-translated',
  uniqueLocal: 'unique local',
};

/** Throws on anything but full CIDR notation: a mistyped network must not open another one. Reads each list once. */
export function parseNetworks(cidrs: string[]): Network[] {
  const known = parsed.get(cidrs);
  if (known) return known;
  const networks = cidrs.map((cidr): Network => {
    // ipaddr.js reads '10/8' as 0.0.0.10/8.
    if (isIP(cidr.split('/')[0] ?? '') === 0 || !ipaddr.isValidCIDR(cidr)) throw new TypeError(`not a CIDR network: ${cidr}`);
    return ipaddr.parseCIDR(cidr);
  });
  parsed.set(cidrs, networks);
  return networks;
}

/** Undefined: open. An address that contains another (NAT64, 6to4, Teredo, IPv4-compatible) is always closed. */
export function closedRange(address: string, open: Network[]): string | undefined {
  if (isIP(address) === 0) return 'not an address';
  // A zone names an interface of this machine.
  if (address.includes('%')) return 'zone id';
  const ip = ipaddr.process(undotted(address));
  if (isWithin(ip, open)) return undefined;
  if (isWithin(ip, METADATA)) return 'cloud metadata';
  const range = ip.range();
  if (range !== 'unicast') return NAMES[range] ?? range;
  if (ip.kind() === 'ipv6' && !isWithin(ip, GLOBAL_IPV6)) return 'not global unicast';
  return isWithin(ip, RETIRED) ? 'reserved' : undefined;
}

/** ipaddr.js reads the dotted `::8.8.8.8` as the mapped `::ffff:8.8.8.8`; the URL parser writes hex. */
function undotted(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

function isWithin(ip: Address, networks: Network[]): boolean {
  return networks.some(([network, bits]) => ip.kind() === network.kind() && ip.match(network, bits));
}
