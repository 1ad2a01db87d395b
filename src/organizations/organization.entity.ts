import { defineEntity, p } from '@mikro-orm/core';
import { nowDate } from '../platform/time/clock.ts';

export const Organization = defineEntity({
  name: 'Organization',
  tableName: 'organizations',
  properties: {
    id: p.uuid().primary(),
    name: p.string(),
    createdAt: p.datetime().onCreate(nowDate),
    updatedAt: p.datetime().onCreate(nowDate),
  },
});

export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    name: p.string(),
    hash: p.blob(),
    scopes: p.array<string>(),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(nowDate),
  },
});
