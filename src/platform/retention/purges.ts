import { automationPurge } from './automation.ts';
import { binBatch } from './bin.ts';
import { deletedCampaignsBatch, endedRecipientsBatch } from './campaigns.ts';
import { deletedEndpointsBatch, oldSecretsBatch, quietSpellsBatch } from './endpoints.ts';
import { attemptsBatch, eventsBatch } from './events.ts';
import { oldFlowSecretsBatch } from './flows.ts';
import { poolsPurge } from './pools.ts';
import { deleteOldest, type Purge } from './purge.ts';
import { deletedSegmentsBatch, membersOfDeletedBatch } from './segments.ts';

/** A retry of a failed job needs its subject. */
const noJob = (table: string) => `not exists (
  select 1 from jobs j
   where j.organization_id = ${table}.organization_id and j.subject_id = ${table}.id)`;

/** Each row is deleted with its file, about two seconds a gigabyte: more might exceed a statement's time limit. */
const maxFiles = 3;

const importsPurge = (table: string): Purge => ({
  table,
  tables: [table],
  steps: [
    // An upload cut off when its process died.
    {
      days: () => 1,
      batch: deleteOldest(table, { age: 'created_at', where: `state = 'uploading'`, maxRows: maxFiles }),
    },
    {
      days: (config) => config.retentionFailedJobsDays,
      batch: deleteOldest(table, {
        age: 'finished_at',
        where: `state in ('succeeded', 'failed', 'cancelled') and ${noJob(table)}`,
        maxRows: maxFiles,
      }),
    },
  ],
});

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
      // Not a setting: an attempt of a delivery that waits comes within a day.
      { days: () => 1, batch: quietSpellsBatch },
      { days: (config) => config.retentionEventsDays, batch: deletedEndpointsBatch },
    ],
  },
  {
    table: 'flow_secrets',
    // A secret goes with its flow, a key with its channel.
    tables: ['flow_secrets', 'flow_keys'],
    steps: [
      { days: () => 0, batch: oldFlowSecretsBatch },
      { days: () => 0, batch: deleteOldest('flow_keys', { age: 'expires_at' }) },
    ],
  },
  {
    table: 'segments',
    // Only of those that were deleted.
    tables: ['segments', 'segment_members'],
    steps: [
      { days: () => 0, batch: membersOfDeletedBatch },
      { days: () => 0, batch: deletedSegmentsBatch },
    ],
  },
  {
    table: 'deals',
    tables: ['deals'],
    steps: [{ days: (config) => config.retentionCrmBinDays, batch: binBatch('deals') }],
  },
  {
    table: 'crm_tasks',
    tables: ['crm_tasks'],
    steps: [{ days: (config) => config.retentionCrmBinDays, batch: binBatch('crm_tasks', noJob('crm_tasks')) }],
  },
  {
    table: 'records',
    tables: ['records'],
    steps: [{ days: (config) => config.retentionCrmBinDays, batch: binBatch('records') }],
  },
  automationPurge,
  {
    table: 'campaigns',
    tables: ['campaigns', 'campaign_recipients'],
    steps: [
      { days: (config) => config.retentionCampaignRecipientsDays, batch: endedRecipientsBatch },
      // A deleted campaign is shown nowhere.
      { days: () => 0, batch: deletedCampaignsBatch },
    ],
  },
  {
    table: 'connection_webhooks',
    tables: ['connection_webhooks'],
    steps: [
      {
        days: (config) => config.retentionProviderWebhooksDays,
        batch: deleteOldest('connection_webhooks', {
          age: 'received_at',
          where: `status in ('applied', 'unknown') and ${noJob('connection_webhooks')}`,
        }),
      },
      {
        days: (config) => config.retentionBrokenProviderWebhooksDays,
        batch: deleteOldest('connection_webhooks', {
          age: 'received_at',
          where: `status = 'broken' and ${noJob('connection_webhooks')}`,
        }),
      },
    ],
  },
  {
    table: 'connection_consents',
    tables: ['connection_consents'],
    // Not a setting: a consent is good for ten minutes.
    steps: [{ days: () => 0, batch: deleteOldest('connection_consents', { age: 'expires_at' }) }],
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
    table: 'deal_revaluations',
    tables: ['deal_revaluations'],
    steps: [
      {
        days: (config) => config.retentionFailedJobsDays,
        batch: deleteOldest('deal_revaluations', {
          age: 'finished_at',
          where: `state = 'ended' and ${noJob('deal_revaluations')}`,
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
    table: 'draft_orders',
    tables: ['draft_orders'],
    // Not a setting: the API says so.
    steps: [{ days: () => 30, batch: deleteOldest('draft_orders', { age: 'updated_at' }) }],
  },
  {
    table: 'quotes',
    tables: ['quotes'],
    // Not a setting: an order keeps the rate it took, and the others are good for half an hour.
    steps: [{ days: () => 2, batch: deleteOldest('quotes', { age: 'created_at' }) }],
  },
  poolsPurge,
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
  importsPurge('contact_imports'),
  importsPurge('crm_imports'),
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
