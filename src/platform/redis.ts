import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { isOfCluster, parseClusterUrl } from './config/cluster-url.ts';

type Options = Omit<RedisOptions, 'host' | 'port' | 'path' | 'sentinels' | 'readOnly'>;

/** How soon a client learns of a node that came, went or was promoted without an error telling it. */
const lookEveryMs = 5_000;

/**
 * A client of the Redis, or the Redis Cluster, that a QUEUE_URL names. In a cluster `enableOfflineQueue` has no effect: each node is
 * connected to with the first command for it.
 */
export function openRedis(url: string, options: Options): Redis | Cluster {
  if (!isOfCluster(url)) return new Redis(url, options);
  const { nodes, isSecure, username, password } = parseClusterUrl(url);
  const { retryStrategy, enableOfflineQueue: _, ...ofNodes } = options;
  return new Cluster(nodes, {
    clusterRetryStrategy: retryStrategy,
    slotsRefreshInterval: lookEveryMs,
    redisOptions: { ...ofNodes, username, password, ...(isSecure && { tls: {} }) },
    // A certificate is made out to a name, so the name is kept.
    ...(isSecure && { dnsLookup: (host, done) => done(null, host) }),
  });
}
