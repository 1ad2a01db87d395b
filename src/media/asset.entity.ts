import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant, timestamp } from '../platform/database/columns.ts';
import { mediaKinds } from './kinds.ts';

/** `upload`: sent to the API by the team or a program. `inbound`: came in with a contact's message. */
export const mediaSources = ['upload', 'inbound'] as const;
export type MediaSource = (typeof mediaSources)[number];

export const MediaAsset = defineEntity({
  name: 'MediaAsset',
  tableName: 'media_assets',
  properties: {
    ...tenant(),
    storage_key: p.text(),
    kind: p.enum(mediaKinds),
    source: p.enum(mediaSources),
    /** What the file is, by its content. */
    mime_type: p.text(),
    /** What its sender called it; empty: nothing. */
    declared_type: p.text().default(''),
    size_bytes: p.bigint('string'),
    /** Hexadecimal. */
    sha256: p.text(),
    file_name: p.text().default(''),
    message_id: p.uuid().strictNullable(),
    contact_id: p.uuid().strictNullable(),
    /** `user:<id>` or `key:<id>`; empty: inbound. */
    created_by: p.text().default(''),
    ...created(),
    /** The file is to be removed; nobody finds the asset any more. */
    deleted_at: timestamp().strictNullable(),
    /** Since when the storage has not had the file. */
    missing_since: timestamp().strictNullable(),
  },
});

/** What an organization's files take, for its quota. */
export const MediaUsage = defineEntity({
  name: 'MediaUsage',
  tableName: 'media_usage',
  properties: {
    organization_id: p.uuid().primary(),
    bytes: p.bigint('string').defaultRaw('0'),
    assets: p.integer().default(0),
  },
});
