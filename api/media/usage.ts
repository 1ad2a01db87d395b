import Joi from 'joi';
import { mediaUsage } from '../../src/media/usage.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { view } from '../http/view.ts';
import { tag } from './schemas.ts';

const usageView = view(
  'media_usage',
  Joi.object({
    bytes: Joi.number().integer().required().description('Of all media assets together'),
    assets: Joi.number().integer().required(),
    quota_bytes: Joi.number().integer().allow(null).required().description('What they may have; null: no limit'),
  }),
  { bytes: 1_048_576, assets: 12, quota_bytes: 10_737_418_240 },
);

export const getMediaUsage = endpoint({
  method: 'get',
  path: '/v1/media/usage',
  operationId: 'media.usage.get',
  tag,
  scope: 'media:read',
  summary: 'Get what the media assets of the organization take',
  responses: { 200: usageView },
  handler: async ({ own }, { config }) => ok({ ...(await mediaUsage(own)), quota_bytes: config.mediaQuotaBytes || null }),
});
