import { blockContactJob, unblockContactJob } from './contacts/blocking/jobs.ts';
import { eraseContactJob } from './contacts/erasure/jobs.ts';
import { exportContactsJob } from './contacts/export/jobs.ts';
import { importContactsJob } from './contacts/import/jobs.ts';
import { sendMailJob } from './mails/jobs.ts';
import { clearMediaJob } from './media/jobs.ts';
import { fetchFileJob } from './messaging/files/jobs.ts';
import { wakeConversationJob } from './messaging/inbox/jobs.ts';
import { markReadJob, sendMessageJob, showTypingJob } from './messaging/jobs.ts';
import { sendLaterJob } from './messaging/schedule-job.ts';
import { exchangeTokenJob, registerPhoneJob, subscribeWebhookJob, syncAssetsJob } from './onboarding/jobs.ts';
import { registerContracts } from './platform/ledger/contracts.ts';
import { amendMessageJob, applyProviderWebhookJob, matchStatusJob } from './provider-webhooks/jobs.ts';
import { syncTemplatesJob } from './templates/jobs.ts';
import { deliverWebhookJob } from './webhooks/jobs.ts';
import { cancelPendingJob, drainPendingJob, hastenPendingJob, resumePendingJob } from './webhooks/pending/jobs.ts';
import { cancelWebhooksJob, recoverWebhooksJob, replayWebhooksJob } from './webhooks/replay/jobs.ts';

export const jobs = [
  sendMessageJob,
  sendLaterJob,
  markReadJob,
  showTypingJob,
  fetchFileJob,
  syncTemplatesJob,
  wakeConversationJob,
  applyProviderWebhookJob,
  matchStatusJob,
  amendMessageJob,
  deliverWebhookJob,
  cancelPendingJob,
  drainPendingJob,
  resumePendingJob,
  hastenPendingJob,
  recoverWebhooksJob,
  replayWebhooksJob,
  cancelWebhooksJob,
  sendMailJob,
  clearMediaJob,
  eraseContactJob,
  blockContactJob,
  unblockContactJob,
  importContactsJob,
  exportContactsJob,
  exchangeTokenJob,
  subscribeWebhookJob,
  registerPhoneJob,
  syncAssetsJob,
];

registerContracts(jobs);
