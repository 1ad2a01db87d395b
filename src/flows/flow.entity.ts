import { defineEntity, p } from '@mikro-orm/core';
import { computed, created, tenant, times, timestamp } from '../platform/database/columns.ts';
import type { JobError } from '../platform/ledger/jobs.entity.ts';
import type { BuilderJson } from './document/builder.ts';
import type { FlowFault } from './document/faults.ts';
import type { AnswerLabels } from './document/labels.ts';

export const flowStatuses = ['draft', 'published', 'deprecated', 'blocked', 'throttled'] as const;
export type FlowStatus = (typeof flowStatuses)[number];

export const flowCategories = [
  'sign_up',
  'sign_in',
  'appointment_booking',
  'lead_generation',
  'contact_us',
  'customer_support',
  'survey',
  'shopping',
  'other',
] as const;
export type FlowCategory = (typeof flowCategories)[number];

/** What a job is to do for a flow at the provider. */
export const flowWorks = ['push', 'publish', 'sync', 'deprecate', 'delete', 'preview'] as const;
export type FlowWork = (typeof flowWorks)[number];

/** Both sides changed since the last exchange, and nobody has decided yet. */
export type Drift = { detected_at: string; provider_sha256: string };

/** `at`: the provider's clock. */
export type FlowAlerted = { state: string; at: string };

export const Flow = defineEntity({
  name: 'Flow',
  tableName: 'flows',
  properties: {
    ...tenant(),
    /** null: of no channel yet. */
    channel_id: p.uuid().strictNullable(),
    /** The channel's account at the provider, to which the flow belongs there. */
    account_id: p.text().strictNullable(),
    /** null: the provider does not have it, as far as we know. */
    provider_flow_id: p.text().strictNullable(),
    name: p.text(),
    /** The first of `categories`. The provider may give a flow several, and names that we do not know. */
    category: p.text(),
    categories: p.array<string>(),
    status: p.enum(flowStatuses).default('draft'),
    builder_json: p.json<BuilderJson>(),
    /** The format of `builder_json`. */
    builder_version: p.integer().default(1),
    /** The provider's document as JSON text: compiled from `builder_json`, or the client's own. */
    flow_json: p.text(),
    json_version: p.text(),
    /** Empty: it asks no endpoint. */
    data_api_version: p.text().default(''),
    /** What our validator finds in the present document, and what the provider said of the one it has. */
    faults: p.json<FlowFault[]>().defaultRaw(`'[]'`),
    provider_faults: p.json<FlowFault[]>().defaultRaw(`'[]'`),
    /** The number of the version that is the present document, and of the one that the provider has. */
    version: p.integer().default(1),
    provider_version: p.integer().strictNullable(),
    /** Of the present document in canonical form. */
    local_sha256: p.text(),
    /** What of ours the provider got or gave last. While they equal the present ones there are no local changes. */
    pushed_sha256: p.text().strictNullable(),
    pushed_name: p.text().strictNullable(),
    pushed_categories: p.array<string>().strictNullable(),
    /** Of the document that the provider gave back after that exchange: it may have reformatted ours. */
    base_sha256: p.text().strictNullable(),
    drift: p.json<Drift>().strictNullable(),
    /** Where requests of the flow's endpoint go, and the headers that go with them, sealed. */
    data_exchange_url: p.text().strictNullable(),
    data_exchange_headers: p.text().strictNullable(),
    revision: p.integer().default(1),
    /** The work that a job is to do for it at the provider. */
    doing: p.enum(flowWorks).strictNullable(),
    /** Since then the provider may have been asked for the present `doing`. */
    asked_at: timestamp().strictNullable(),
    /** Of the last work. */
    failure: p.json<JobError>().strictNullable(),
    preview_url: p.text().strictNullable(),
    preview_expires_at: timestamp().strictNullable(),
    published_at: timestamp().strictNullable(),
    synced_at: timestamp().strictNullable(),
    /** When the status was last written, by our clock, and when the provider told it, by its own. */
    status_at: timestamp().strictNullable(),
    told_at: timestamp().strictNullable(),
    /** The newest time that a webhook of the provider named: by its own clock alone. */
    heard_at: timestamp().strictNullable(),
    /** The last of each kind that the provider told. */
    alerts: p.json<Record<string, FlowAlerted>>().defaultRaw(`'{}'`),
    search: computed(`(' ' || searchable(name)) stored`),
    ...times(),
  },
});

export const versionReasons = ['create', 'edit', 'clone', 'restore', 'import', 'sync'] as const;
export type VersionReason = (typeof versionReasons)[number];

export const FlowVersion = defineEntity({
  name: 'FlowVersion',
  tableName: 'flow_versions',
  properties: {
    ...tenant(),
    flow_id: p.uuid(),
    number: p.integer(),
    /** null, as `flow_json`: too old to be restored, and kept for the labels of what was sent. */
    builder_json: p.json<BuilderJson>().strictNullable(),
    builder_version: p.integer(),
    flow_json: p.text().strictNullable(),
    json_version: p.text(),
    data_api_version: p.text(),
    sha256: p.text(),
    /** What its answers show. */
    labels: p.json<AnswerLabels>(),
    /** Their ids; null: not known. */
    screens: p.array<string>().strictNullable(),
    why: p.enum(versionReasons),
    /** `user:<id>`, `key:<id>`; empty: the provider's. */
    actor: p.text().default(''),
    ...created(),
  },
});
