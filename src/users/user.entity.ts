import { defineEntity, p } from '@mikro-orm/core';
import { created, id, tenant, times, timestamp, timestampNow } from '../platform/database/columns.ts';

export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: id(),
    email: p.text(),
    name: p.text(),
    email_verified: p.boolean().default(false),
    timezone: p.text().default('UTC'),
    week_start: p.text().default('monday'),
    password_hash: p.text().strictNullable(),
    password_changed_at: timestamp().strictNullable(),
    ...times(),
  },
});

/** Only hashes of tokens are stored, here and below. */
export const Session = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: id(),
    user_id: p.uuid(),
    hash: p.blob(),
    /** null: the user has left the organization. */
    organization_id: p.uuid().strictNullable(),
    expires_at: timestamp(),
    seen_at: timestampNow(),
    address: p.text().default(''),
    user_agent: p.text().default(''),
    telemetry_id: p.text().strictNullable(),
    ...created(),
  },
});

export const BearerToken = defineEntity({
  name: 'BearerToken',
  tableName: 'bearer_tokens',
  properties: {
    ...tenant(),
    user_id: p.uuid(),
    session_id: p.uuid().strictNullable(),
    name: p.text(),
    hash: p.blob(),
    scopes: p.array<string>(),
    expires_at: timestamp().returning(),
    last_used_at: timestamp().strictNullable(),
    ...created(),
  },
});
