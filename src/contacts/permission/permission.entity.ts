import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant, times, timestamp, timestampNow } from '../../platform/database/columns.ts';

export const consentChannels = ['messaging_app', 'email', 'sms', 'voice'] as const;
export type ConsentChannel = (typeof consentChannels)[number];
export const consentStatuses = ['granted', 'denied', 'pending'] as const;
export type ConsentStatus = (typeof consentStatuses)[number];

export const suppressionChannels = ['all', ...consentChannels] as const;
export type SuppressionChannel = (typeof suppressionChannels)[number];
export const suppressionReasons = ['unsubscribed', 'complaint', 'bounced', 'blocked', 'manual'] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

export const permissionKinds = ['consent', 'suppression'] as const;
export type PermissionKind = (typeof permissionKinds)[number];
export const permissionStates = [...consentStatuses, 'suppressed', 'lifted'] as const;
export type PermissionState = (typeof permissionStates)[number];

export const ContactConsent = defineEntity({
  name: 'ContactConsent',
  tableName: 'contact_consents',
  properties: {
    ...tenant(),
    contact_id: p.uuid(),
    channel: p.enum(consentChannels),
    status: p.enum(consentStatuses),
    source: p.text().default(''),
    proof: p.text().default(''),
    changed_at: timestampNow(),
    ...created(),
  },
});

export const ContactSuppression = defineEntity({
  name: 'ContactSuppression',
  tableName: 'contact_suppressions',
  properties: {
    ...tenant(),
    contact_id: p.uuid(),
    channel: p.enum(suppressionChannels),
    reason: p.enum(suppressionReasons),
    /** null: until it is lifted. */
    expires_at: timestamp().strictNullable(),
    ...times(),
  },
});

export const ContactPermissionChange = defineEntity({
  name: 'ContactPermissionChange',
  tableName: 'contact_permission_history',
  properties: {
    ...tenant(),
    contact_id: p.uuid(),
    kind: p.enum(permissionKinds),
    channel: p.enum(suppressionChannels),
    state: p.enum(permissionStates),
    reason: p.text().default(''),
    source: p.text().default(''),
    proof: p.text().default(''),
    expires_at: timestamp().strictNullable(),
    actor: p.text(),
    ...created(),
  },
});

/** An erased contact's address that must still not receive messages. Only its HMAC (HASH_KEY) is stored. */
export const SuppressedAddress = defineEntity({
  name: 'SuppressedAddress',
  tableName: 'suppressed_addresses',
  properties: {
    organization_id: p.uuid().primary(),
    hash: p.blob().primary(),
    channel: p.enum(suppressionChannels).primary(),
    reason: p.enum(suppressionReasons),
    expires_at: timestamp().strictNullable(),
    ...created(),
  },
});
