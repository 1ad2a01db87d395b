import type { Config } from '../../config/config.ts';
import type { Log } from '../../log.ts';
import { queueNames } from '../queue-names.ts';
import type { Backend } from './backend.ts';
import { postgresBackend } from './postgres.ts';
import { redisBackend } from './redis.ts';

export const createBackend = (config: Pick<Config, 'queueUrl' | 'databaseUrl'>, log: Log): Backend =>
  config.queueUrl ? redisBackend(config.queueUrl, log) : postgresBackend(config.databaseUrl, queueNames.length, log);
