export type ClusterNode = { host: string; port: number };
export type ClusterServers = { nodes: ClusterNode[]; isSecure: boolean; username?: string; password?: string };

const scheme = /^(rediss?)\+cluster:\/\//;
const form = /^(rediss?)\+cluster:\/\/(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^@/?#]+)\/?$/;

export const isOfCluster = (url: string) => scheme.test(url);

/** Parses `redis+cluster://user:password@host:port,host:port`; rediss+cluster:// has TLS. Errors do not show the URL. */
export function parseClusterUrl(text: string): ClusterServers {
  const parts = form.exec(text);
  if (!parts) throw new Error('is not redis+cluster:// or rediss+cluster:// with hosts, comma-separated, and nothing after them');
  const { user, password, hosts } = parts.groups!;
  return {
    nodes: hosts!.split(',').map(nodeOf),
    isSecure: parts[1] === 'rediss',
    ...(user && { username: decoded(user) }),
    ...(password && { password: decoded(password) }),
  };
}

function nodeOf(text: string): ClusterNode {
  const url = URL.parse(`redis://${text}`);
  if (!url?.hostname) throw new Error('has a host that is not host or host:port');
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || 6379 };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has a user or password that is not percent-encoded');
  }
}

/** For people: without user and password. */
export const hostsOf = (url: string): string =>
  isOfCluster(url)
    ? parseClusterUrl(url)
        .nodes.map(({ host, port }) => `${host}:${port}`)
        .join(', ')
    : new URL(url).host;
