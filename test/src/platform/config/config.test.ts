import { describe, expect, test } from '@jest/globals';
import { ConfigError, configSchema, readConfig } from '../../../../src/platform/config/config.ts';
import { testHashKey, testSecretKey } from '../../../support/secrets.ts';

const least = { DATABASE_URL: 'postgresql://kanal@127.0.0.1/kanal', SECRET_KEY: testSecretKey, HASH_KEY: testHashKey };

const faultsOf = (env: Record<string, string>) => {
  try {
    readConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).faults;
  }
  return [];
};

describe('the configuration', () => {
  test('needs a database and a key, and has a default for all else', () => {
    expect(readConfig(least)).toMatchObject({
      port: 3000,
      databaseUrl: least.DATABASE_URL,
      queues: [],
      webhookAllowNetworks: [],
      webhookAllowHttp: false,
      trustProxy: 0,
      unknownWindow: 60,
      lockDurationMs: 10_000,
      stalledIntervalMs: 5_000,
      runRetryDelayMs: 500,
      sweepIntervalMs: 5_000,
    });
    expect(readConfig(least).queueUrl).toBeUndefined();
    expect(readConfig(least).operatorPassword).toBeUndefined();
  });

  test('names every fault at once', () => {
    const faults = faultsOf({ PORT: 'x', LOG_LEVEL: 'loud', QUEUE_URL: 'http://redis' });
    for (const name of ['PORT', 'LOG_LEVEL', 'QUEUE_URL', 'DATABASE_URL', 'SECRET_KEY', 'HASH_KEY'])
      expect(faults.filter((fault) => fault.includes(name))).toHaveLength(1);
    expect(faults).toHaveLength(6);
  });

  test('closes no connection on which a client waits as long as it may', () => {
    expect(faultsOf({ ...least, CONNECTION_STALL_TIMEOUT_MS: '30000' })).toHaveLength(1);
    expect(readConfig({ ...least, CONNECTION_STALL_TIMEOUT_MS: '31000' }).connectionStallTimeoutMs).toBe(31_000);
  });

  test.each([
    ['DATABASE_URL', 'mysql://kanal:hunter2@db/kanal'],
    ['QUEUE_URL', 'amqp://kanal:hunter2@queue'],
    ['SECRET_KEY', 'hunter2'],
    ['OPERATOR_PASSWORD', 'hunter2'],
    ['METRICS_TOKEN', 'hunter2'],
    ['METRICS_TOKEN', 'hunter2 of 20 signs'],
    ['METRICS_TOKEN', 'hunter2-with-an-😀'],
    ['MEDIA_S3_ACCESS_KEY_ID', 'hunter2\nhunter3'],
    ['PUBLIC_URL', 'ftp://hunter2'],
    ['MAIL_URL', 'smtp://kanal:hunter2@mail.example.com?logger=true'],
    ['MAIL_URL', 'hunter2'],
    ['MAIL_FROM', 'hunter2'],
    ['APP_URL', 'hunter2'],
    ['PORT', 'hunter2'],
  ])('a fault of %s does not repeat the value, which may be a secret', (name, value) => {
    const faults = faultsOf({ ...least, [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(name);
    expect(faults[0]).not.toContain('hunter2');
  });

  test('lists are split and trimmed', () => {
    const config = readConfig({ ...least, QUEUES: 'messages, webhooks ,', WEBHOOK_ALLOW_NETWORKS: '10.0.0.0/8,127.0.0.0/8' });
    expect(config.queues).toEqual(['messages', 'webhooks']);
    expect(config.webhookAllowNetworks).toEqual(['10.0.0.0/8', '127.0.0.0/8']);
  });

  test('a queue that does not exist is a fault', () => {
    expect(faultsOf({ ...least, QUEUES: 'messages,mesages' })).toEqual([expect.stringContaining('mesages')]);
  });

  test('a failed job stays at least as long as BullMQ shows its run', () => {
    expect(readConfig(least)).toMatchObject({ retentionFailedJobsDays: 30, retentionDoneJobsDays: 7, retentionEventsDays: 30 });
    expect(faultsOf({ ...least, RETENTION_FAILED_JOBS_DAYS: '13' })).toEqual([expect.stringContaining('14')]);
  });

  test('an empty variable is one that is not set', () => {
    const config = readConfig({ ...least, QUEUE_URL: '', OPERATOR_PASSWORD: '', MAIL_URL: '', MAIL_FROM: '', APP_URL: '' });
    expect(config).toMatchObject({ mailFrom: 'Kanal <no-reply@localhost>' });
    expect([config.mailUrl, config.appUrl]).toEqual([undefined, undefined]);
    expect(config.queueUrl).toBeUndefined();
    expect(config.operatorPassword).toBeUndefined();
  });

  test('so is each of them: the empty one is as if it were not there', () => {
    const { keys } = configSchema.describe() as { keys: Record<string, object> };
    for (const name of Object.keys(keys).filter((one) => !(one in least) && one !== 'STOP_WORDS'))
      expect([name, readConfig({ ...least, [name]: '' })]).toEqual([name, readConfig(least)]);
    expect(readConfig({ ...least, HEALTH_PORT: '' }).healthPort).toBeUndefined();
    for (const name of Object.keys(least)) expect(faultsOf({ ...least, [name]: '' })).toEqual([`${name} is required`]);
  });

  test('no stop words at all is a choice', () => {
    expect(readConfig({ ...least, STOP_WORDS: '' }).stopWords).toEqual([]);
    expect(readConfig(least).stopWords).not.toEqual([]);
  });

  test('what it does not know is left out', () => {
    expect(readConfig({ ...least, HOME: '/root' })).not.toHaveProperty('home');
  });

  test('every variable has a description', () => {
    const { keys } = configSchema.describe() as { keys: Record<string, { flags?: { description?: string } }> };
    for (const [name, { flags }] of Object.entries(keys)) expect([name, flags?.description]).toEqual([name, expect.any(String)]);
  });
});
