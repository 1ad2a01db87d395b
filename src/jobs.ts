import { evaluateJob } from './automation/jobs.ts';
import { cancelRunsJob, retryRunsJob } from './automation/runs/many-jobs.ts';
import { runJobOfRule } from './automation/runs/run-job.ts';
import { tickJob } from './automation/schedule/tick-job.ts';
import { feedCampaignJob, prepareCampaignJob, retryFailedJob, startCampaignJob, withdrawCampaignJob } from './campaigns/jobs.ts';
import { checkChannelJob, watchChannelJob } from './channels/jobs.ts';
import { copyBusyJob, renewCalendarsJob, renewServiceJob } from './commerce/bookings/jobs.ts';
import { syncBookingCalendarJob } from './commerce/calendar/jobs.ts';
import { quoteShippingJob } from './commerce/delivery/quote-jobs.ts';
import { expireOrderJob } from './commerce/orders/expiry.ts';
import {
  cancelPaymentSessionJob,
  checkPaymentJob,
  checkRefundJob,
  createPaymentSessionJob,
  refundPaymentJob,
} from './commerce/payments/jobs.ts';
import { cancelShipmentJob, checkShipmentJob, createShipmentJob } from './commerce/shipping/jobs.ts';
import { applyConnectionWebhookJob, checkConnectionJob, watchConnectionJob } from './connections/jobs.ts';
import { blockContactJob, unblockContactJob } from './contacts/blocking/jobs.ts';
import { eraseContactJob } from './contacts/erasure/jobs.ts';
import { exportContactsJob } from './contacts/export/jobs.ts';
import { importContactsJob } from './contacts/import/jobs.ts';
import { removePipelineJob, removeStageJob } from './deals/pipelines/jobs.ts';
import { revalueDealsJob } from './deals/revalue/jobs.ts';
import { uploadFlowKeyJob } from './flows/exchange/key-job.ts';
import {
  deleteFlowJob,
  deprecateFlowJob,
  importFlowsJob,
  previewFlowJob,
  publishFlowJob,
  pushFlowJob,
  syncFlowJob,
} from './flows/jobs.ts';
import { importCrmJob, importRecipientsJob } from './imports/jobs.ts';
import { sendMailJob } from './mails/jobs.ts';
import { clearMediaJob } from './media/jobs.ts';
import { fetchFileJob } from './messaging/files/jobs.ts';
import { wakeConversationJob } from './messaging/inbox/jobs.ts';
import { markReadJob, sendMessageJob, showTypingJob } from './messaging/jobs.ts';
import { sendLaterJob } from './messaging/schedule-job.ts';
import { fetchRatesJob } from './money/jobs.ts';
import { exchangeTokenJob, registerPhoneJob, subscribeWebhookJob, syncAssetsJob } from './onboarding/jobs.ts';
import { registerContracts } from './platform/ledger/contracts.ts';
import { amendMessageJob, applyProviderWebhookJob, matchAnswerJob, matchStatusJob } from './provider-webhooks/jobs.ts';
import { deleteTypeJob, dropFieldJob, indexFieldJob, replaceOptionsJob } from './records/types/jobs.ts';
import { remindTaskJob } from './tasks/jobs.ts';
import { deleteTemplateJob, editTemplateJob, submitTemplateJob, syncTemplatesJob } from './templates/jobs.ts';
import { deliverWebhookJob } from './webhooks/jobs.ts';
import { cancelPendingJob, drainPendingJob, hastenPendingJob, resumePendingJob } from './webhooks/pending/jobs.ts';
import { cancelWebhooksJob, recoverWebhooksJob, replayWebhooksJob } from './webhooks/replay/jobs.ts';

export const jobs = [
  evaluateJob,
  runJobOfRule,
  cancelRunsJob,
  retryRunsJob,
  tickJob,
  sendMessageJob,
  sendLaterJob,
  markReadJob,
  showTypingJob,
  fetchFileJob,
  syncTemplatesJob,
  checkChannelJob,
  watchChannelJob,
  checkConnectionJob,
  watchConnectionJob,
  applyConnectionWebhookJob,
  submitTemplateJob,
  editTemplateJob,
  deleteTemplateJob,
  wakeConversationJob,
  remindTaskJob,
  fetchRatesJob,
  removeStageJob,
  removePipelineJob,
  revalueDealsJob,
  importCrmJob,
  importRecipientsJob,
  applyProviderWebhookJob,
  matchStatusJob,
  amendMessageJob,
  matchAnswerJob,
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
  uploadFlowKeyJob,
  exchangeTokenJob,
  subscribeWebhookJob,
  registerPhoneJob,
  syncAssetsJob,
  indexFieldJob,
  dropFieldJob,
  replaceOptionsJob,
  deleteTypeJob,
  pushFlowJob,
  publishFlowJob,
  syncFlowJob,
  deprecateFlowJob,
  deleteFlowJob,
  previewFlowJob,
  importFlowsJob,
  syncBookingCalendarJob,
  copyBusyJob,
  renewCalendarsJob,
  renewServiceJob,
  expireOrderJob,
  createPaymentSessionJob,
  cancelPaymentSessionJob,
  checkPaymentJob,
  refundPaymentJob,
  checkRefundJob,
  quoteShippingJob,
  createShipmentJob,
  cancelShipmentJob,
  checkShipmentJob,
  startCampaignJob,
  prepareCampaignJob,
  feedCampaignJob,
  withdrawCampaignJob,
  retryFailedJob,
];

/** For a process that starts, checks or retries jobs of every domain. */
export const knowJobs = (): void => registerContracts(jobs);
