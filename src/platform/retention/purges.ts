import { deletedEndpointsBatch, oldSecretsBatch } from './endpoints.ts';
import { attemptsBatch, eventsBatch } from './events.ts';
import { deleteOldest, type Purge } from './purge.ts';

/** A retry of a failed job needs its subject. */
const noJob = (table: string) => `not exists (
  select 1 from jobs j
   where j.organization_id = ${table}.organization_id and j.subject_id = ${table}.id)`;

/** Each row is deleted with its file, about two seconds a gigabyte: more might exceed a statement's time limit. */
const maxFiles = 3;

/** In this order: failed jobs first, since their subjects stay as long as they do. */
export const purges: Purge[] = [
  {
    table: 'jobs',
    tables: ['jobs'],
    steps: [
      {
        days: (config) => config.retentionDoneJobsDays,
        batch: deleteOldest('jobs', { age: 'finished_at', where: `state = 'done'` }),
      },
      {
        days: (config) => config.retentionFailedJobsDays,
        batch: deleteOldest('jobs', { age: 'finished_at', where: `state = 'failed'` }),
      },
    ],
  },
  {
    table: 'idempotency_keys',
    tables: ['idempotency_keys'],
    // Not a setting: the API promises 24 hours and ignores older rows (api/http/idempotency.ts).
    steps: [{ days: () => 1, batch: deleteOldest('idempotency_keys', { age: 'created_at' }) }],
  },
  {
    table: 'provider_webhooks',
    tables: ['provider_webhooks'],
    steps: [
      {
        days: (config) => config.retentionProviderWebhooksDays,
        batch: deleteOldest('provider_webhooks', { age: 'applied_at', where: `state = 'applied'` }),
      },
      {
        days: (config) => config.retentionBrokenProviderWebhooksDays,
        batch: deleteOldest('provider_webhooks', {
          age: 'received_at',
          where: `state = 'broken' and ${noJob('provider_webhooks')}`,
        }),
      },
    ],
  },
  {
    table: 'unmatched_statuses',
    tables: ['unmatched_statuses'],
    steps: [
      {
        days: (config) => config.retentionUnmatchedStatusesDays,
        batch: deleteOldest('unmatched_statuses', {
          age: 'received_at',
          where: `state in ('matched', 'dropped') and ${noJob('unmatched_statuses')}`,
        }),
      },
    ],
  },
  {
    table: 'media_uploads',
    tables: ['media_uploads'],
    // Not a setting: the provider keeps an uploaded file for 30 days.
    steps: [{ days: () => 30, batch: deleteOldest('media_uploads', { age: 'uploaded_at' }) }],
  },
  {
    table: 'webhook_attempts',
    tables: ['webhook_attempts'],
    steps: [{ days: (config) => config.retentionWebhookAttemptsDays, batch: attemptsBatch('webhook_attempts') }],
  },
  {
    table: 'message_attempts',
    tables: ['message_attempts'],
    // As long as the events that tell the rest of a message's timeline.
    steps: [{ days: (config) => config.retentionEventsDays, batch: attemptsBatch('message_attempts') }],
  },
  {
    table: 'events',
    tables: ['events', 'webhook_deliveries'],
    steps: [{ days: (config) => config.retentionEventsDays, batch: eventsBatch }],
  },
  {
    table: 'webhook_endpoints',
    tables: ['webhook_endpoints'],
    steps: [
      { days: () => 0, batch: oldSecretsBatch },
      { days: (config) => config.retentionEventsDays, batch: deletedEndpointsBatch },
    ],
  },
  {
    table: 'webhook_replays',
    tables: ['webhook_replays'],
    steps: [
      {
        days: (config) => config.retentionFailedJobsDays,
        batch: deleteOldest('webhook_replays', {
          age: 'finished_at',
          where: `state = 'ended' and ${noJob('webhook_replays')}`,
        }),
      },
    ],
  },
  {
    table: 'onboardings',
    tables: ['onboardings'],
    // A completed one stays: it says how a channel came about, and holds no secret.
    steps: [
      {
        days: (config) => config.retentionOnboardingsDays,
        batch: deleteOldest('onboardings', {
          age: 'updated_at',
          where: `current_step <> 'completed' and ${noJob('onboardings')}`,
        }),
      },
    ],
  },
  {
    table: 'heartbeats',
    tables: ['heartbeats'],
    // One row for each start of a process. No index: every heartbeat would write to it.
    steps: [{ days: () => 7, batch: deleteOldest('heartbeats', { age: 'seen_at' }) }],
  },
  {
    table: 'sessions',
    tables: ['sessions'],
    steps: [{ days: () => 0, batch: deleteOldest('sessions', { age: 'expires_at' }) }],
  },
  {
    table: 'bearer_tokens',
    tables: ['bearer_tokens'],
    steps: [{ days: () => 0, batch: deleteOldest('bearer_tokens', { age: 'expires_at' }) }],
  },
  {
    table: 'password_resets',
    tables: ['password_resets'],
    // A day after expiry, so that the owner reads that the link is old, not that it is unknown.
    steps: [{ days: () => 1, batch: deleteOldest('password_resets', { age: 'expires_at' }) }],
  },
  {
    table: 'mails',
    tables: ['mails'],
    steps: [
      {
        days: (config) => config.retentionFailedJobsDays,
        batch: deleteOldest('mails', { age: 'created_at', where: noJob('mails') }),
      },
    ],
  },
  {
    table: 'login_limits',
    tables: ['login_limits'],
    steps: [{ days: () => 0, batch: deleteOldest('login_limits', { age: 'to_timestamp(expire / 1000.0)' }) }],
  },
  {
    table: 'contact_imports',
    tables: ['contact_imports'],
    steps: [
      // An upload cut off when its process died.
      {
        days: () => 1,
        batch: deleteOldest('contact_imports', { age: 'created_at', where: `state = 'uploading'`, maxRows: maxFiles }),
      },
      {
        days: (config) => config.retentionFailedJobsDays,
        batch: deleteOldest('contact_imports', {
          age: 'finished_at',
          where: `state in ('succeeded', 'failed', 'cancelled') and ${noJob('contact_imports')}`,
          maxRows: maxFiles,
        }),
      },
    ],
  },
  {
    table: 'contact_exports',
    tables: ['contact_exports'],
    // Not a setting: the API promises 7 days, and a file of personal data must not stay longer.
    steps: [
      {
        days: () => 7,
        batch: deleteOldest('contact_exports', {
          age: 'finished_at',
          where: `(state in ('succeeded', 'cancelled') or state = 'failed' and ${noJob('contact_exports')})`,
          maxRows: maxFiles,
        }),
      },
    ],
  },
];

/** Each table is here or above. */
export const kept: Record<string, string> = {
  organizations: 'the tenants themselves',
  api_keys: 'a revoked or expired key still shows who did what',
  audit_log: 'evidence: deleted by a decision, never by a timer',
  users: 'people',
  memberships: 'who may do what',
  invitations: 'an old one still shows who invited a member',
  channels: "a tenant's settings",
  templates: 'copies of what the provider has; a sync replaces them',
  event_cursors: 'how far a client has read: few, and deleted by it',
  contacts: "a tenant's own records",
  contact_identities: "a tenant's own records",
  contact_notes: "a tenant's own records",
  tags: "a tenant's own records",
  contact_tags: "a tenant's own records",
  contact_consents: 'proof of what a person allowed',
  contact_suppressions: 'who must not be messaged',
  contact_permission_history: 'evidence of what a person allowed, and when',
  suppressed_addresses: 'erased contacts who must not be messaged',
  contact_merges: 'what an old id has become',
  contact_duplicates: 'a list of work for users',
  contact_blocks: 'whom the provider has blocked',
  contact_import_chunks: 'deleted at the end of their import',
  contact_import_errors: 'deleted with their import',
  contact_export_chunks: 'deleted with their export',
  contact_erasures: 'deleted at the end of their job',
  conversations: "a tenant's own records",
  conversation_tags: "a tenant's own records",
  conversation_notes: "a tenant's own records",
  messages: "a tenant's own records",
  media_fetches: 'deleted at the end of their job',
  media_assets: "a tenant's own records; files without a row, and rows whose file is gone, by src/media/purge.ts",
  media_usage: 'one for each organization',
  pools: 'one for each channel or endpoint, and one for the files of an organization',
  purges: 'one for each purge',
  mikro_orm_migrations: 'which migrations have run',
};
