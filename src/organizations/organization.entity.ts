import { defineEntity, p } from '@mikro-orm/core';
import { created, id, tenant, times, timestamp, timestampNow } from '../platform/database/columns.ts';
import type { DailyHours, Weekday } from '../platform/time/wall-time.ts';
import { roles } from './roles.ts';

export type FrequencyCap = { max: number; days: number };
export type BusinessHours = (DailyHours & { day: Weekday })[];

export const Organization = defineEntity({
  name: 'Organization',
  tableName: 'organizations',
  properties: {
    id: id(),
    name: p.text(),
    /** A name of the IANA database. */
    timezone: p.text().defaultRaw(`'UTC'`),
    home_currency: p.text().defaultRaw(`'USD'`),
    /** Of those who read amounts; null: the home currency. */
    display_currency: p.text().strictNullable(),
    /** Of campaign messages to one contact, over all campaigns. */
    frequency_cap: p.json<FrequencyCap>().strictNullable(),
    quiet_hours: p.json<DailyHours>().strictNullable(),
    /** The custom field of contacts that holds their zone. */
    timezone_field: p.text().strictNullable(),
    business_hours: p.json<BusinessHours>().defaultRaw(`'[]'`),
    /** When the feed of exchange rates is asked next, where there is one. */
    rates_due_at: timestampNow(),
    ...times(),
  },
});

export const Membership = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  properties: {
    organization_id: p.uuid().primary(),
    user_id: p.uuid().primary(),
    role: p.enum(roles),
    used_at: timestamp().strictNullable(),
    ...times(),
  },
});

export const Invitation = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  properties: {
    ...tenant(),
    email: p.text(),
    role: p.enum(roles),
    hash: p.blob(),
    invited_by: p.text(),
    is_mailed: p.boolean().default(false),
    expires_at: timestamp().returning(),
    accepted_at: timestamp().strictNullable(),
    revoked_at: timestamp().strictNullable(),
    ...created(),
  },
});

/** `role`: the highest the key may grant, its maker's. Only hashes of keys and of invitations' tokens are stored. */
export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    ...tenant(),
    name: p.text(),
    hash: p.blob(),
    scopes: p.array<string>(),
    expires_at: timestamp().strictNullable(),
    revoked_at: timestamp().strictNullable(),
    last_used_at: timestamp().strictNullable(),
    role: p.enum(roles).default('owner'),
    hint: p.text().default(''),
    created_by: p.text().default('cli'),
    replaces_id: p.uuid().strictNullable(),
    ...created(),
  },
});
