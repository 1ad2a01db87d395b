import { describe, expect, test } from '@jest/globals';
import { hostsOf, parseClusterUrl } from '../../../../src/platform/config/cluster-url.ts';
import { type ConfigError, readConnections } from '../../../../src/platform/config/config.ts';

const read = (QUEUE_URL: string) =>
  readConnections({ DATABASE_URL: 'postgresql://kanal@127.0.0.1:5432/kanal', QUEUE_URL }).queueUrl;

describe('the address of a Redis Cluster', () => {
  test('names its nodes, and 6379 is the port of one that names none', () => {
    const { nodes, isSecure } = parseClusterUrl('redis+cluster://a:7001,b,[::1]:7002');
    expect(nodes).toEqual([
      { host: 'a', port: 7001 },
      { host: 'b', port: 6379 },
      { host: '::1', port: 7002 },
    ]);
    expect(isSecure).toBe(false);
  });

  test('may be one host, with TLS, a user and a password', () => {
    const cluster = parseClusterUrl('rediss+cluster://kanal:p%40ss@cluster.example.com:6380/');
    expect(cluster.nodes).toEqual([{ host: 'cluster.example.com', port: 6380 }]);
    expect(cluster.isSecure).toBe(true);
    expect(cluster.username).toBe('kanal');
    expect(cluster.password).toBe('p@ss');
  });

  test('may have a password without a user', () => {
    const cluster = parseClusterUrl('redis+cluster://:secret@a');
    expect(cluster.username).toBeUndefined();
    expect(cluster.password).toBe('secret');
  });

  test('is shown without user and password', () => {
    expect(hostsOf('redis+cluster://kanal:secret@a:7001,b')).toBe('a:7001, b:6379');
    expect(hostsOf('redis://kanal:secret@a:7001/3')).toBe('a:7001');
  });

  test('is taken as it is written', () => {
    for (const url of ['redis+cluster://a:7001,b:7002', 'rediss+cluster://kanal:secret@a', 'redis://a:7001/3', 'rediss://a'])
      expect(read(url)).toBe(url);
  });

  test.each([
    'redis+cluster://',
    'redis+cluster://secret@',
    'redis+cluster://:secret@a/3',
    'redis+cluster://:secret@a?db=3',
    'redis+cluster://:secret@a:x',
    'redis+cluster://:secret@a,,b',
    'redis+cluster://:secret@a,b:70000',
    'redis+cluster://:%secret@a',
    'redis://:secret@a:1,b:2',
    'amqp+cluster://:secret@a',
  ])('%s is refused, and the fault does not repeat it', (url) => {
    const faults = (() => {
      try {
        return [read(url)];
      } catch (error) {
        return (error as ConfigError).faults;
      }
    })();
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain('QUEUE_URL');
    expect(faults[0]).not.toContain('secret');
  });
});
