import Joi from 'joi';
import { isClusterUrl, isUrl } from './checks.ts';

export const queueUrl = Joi.string()
  .when(Joi.string().pattern(/^rediss?\+cluster:/), {
    // biome-ignore lint/suspicious/noThenProperty: the name Joi gives it
    then: Joi.string().custom(isClusterUrl),
    otherwise: Joi.string().custom(isUrl('redis', 'rediss')),
  })
  .description(
    'Redis for the queues, `redis://…` or `rediss://…`, or a Redis Cluster, `redis+cluster://user:password@host:port,host:port`; unset: the database carries them',
  );
