import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { waitFor } from '../wait-for.ts';
import { createRedisServer, type RedisServer } from './redis.ts';

const run = promisify(execFile);
/** How long a node is silent before the others agree that it is gone. */
const nodeTimeoutMs = 1_000;
const masters = 3;

export type RedisCluster = {
  /** As QUEUE_URL. */
  url: string;
  nodes: RedisServer[];
  /** The node that takes writes of the key. */
  masterOf(key: string): Promise<RedisServer>;
  remove(): Promise<void>;
};

/** Three masters on loopback, each with a replica that takes its place; `args` go to each redis-server. */
export async function createRedisCluster(args: string[] = []): Promise<RedisCluster> {
  const settings = [
    '--cluster-enabled',
    'yes',
    '--cluster-node-timeout',
    String(nodeTimeoutMs),
    '--repl-diskless-sync-delay',
    '0',
  ];
  const nodes = await Promise.all(Array.from({ length: 2 * masters }, () => createRedisServer({ args: [...settings, ...args] })));
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`);
  const remove = async () => void (await Promise.all(nodes.map((node) => node.remove())));
  const asked = async <Answer>(node: RedisServer, ask: (client: Redis) => Promise<Answer>): Promise<Answer> => {
    const client = new Redis(node.url(), { retryStrategy: () => null, maxRetriesPerRequest: 0 });
    client.on('error', () => undefined);
    return ask(client).finally(() => client.disconnect());
  };
  const isJoined = (node: RedisServer) =>
    asked(node, async (client) => {
      const info = String(await client.cluster('INFO'));
      // The replicas too: a master that is killed before it has one is not replaced.
      const link = String(await client.info('replication'));
      return info.includes('cluster_state:ok') && (/connected_slaves:1/.test(link) || /master_link_status:up/.test(link));
    });
  try {
    await run('redis-cli', ['--cluster', 'create', ...hosts, '--cluster-replicas', '1', '--cluster-yes']);
    for (const node of nodes) await waitFor(`node ${node.port} of the cluster`, () => isJoined(node));
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    url: `redis+cluster://${hosts.slice(0, masters).join(',')}`,
    nodes,
    async masterOf(key) {
      const ask = (node: RedisServer) =>
        asked(node, async (client) => {
          const slot = Number(await client.cluster('KEYSLOT', key));
          const ranges = await client.cluster('SLOTS');
          const [, , master] = ranges.find(([from, to]) => from <= slot && slot <= to)!;
          return nodes.find(({ port }) => port === master?.[1])!;
        });
      // One of them may have been killed.
      return ask(nodes[0]!).catch(() => ask(nodes[1]!));
    },
    remove,
  };
}
