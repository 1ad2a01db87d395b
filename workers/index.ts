import { cancelRuns } from './automation/cancel-runs.ts';
import { evaluateEvent } from './automation/evaluate.ts';
import { retryRuns } from './automation/retry-runs.ts';
import { runRule } from './automation/run.ts';
import { tickRule } from './automation/tick.ts';
import { feedCampaign } from './campaigns/feed-campaign.ts';
import { importRecipients } from './campaigns/import-recipients.ts';
import { prepareCampaign } from './campaigns/prepare-campaign.ts';
import { retryFailed } from './campaigns/retry-failed.ts';
import { startCampaign } from './campaigns/start-campaign.ts';
import { withdrawCampaign } from './campaigns/withdraw-campaign.ts';
import { checkChannel, watchChannel } from './channels/check-channel.ts';
import { syncBookingCalendar } from './commerce/calendar/sync-booking-calendar.ts';
import { copyBusy } from './commerce/copy-busy.ts';
import { checkPayment } from './commerce/payments/check-payment.ts';
import { createPaymentSession } from './commerce/payments/create-session.ts';
import { cancelPaymentSession } from './commerce/payments/end-unwanted.ts';
import { expireOrder } from './commerce/payments/expire-order.ts';
import { checkRefund, refundPayment } from './commerce/payments/refund-payment.ts';
import { renewCalendars, renewService } from './commerce/renew-calendars.ts';
import { cancelShipment } from './commerce/shipping/cancel-shipment.ts';
import { checkShipment } from './commerce/shipping/check-shipment.ts';
import { createShipment } from './commerce/shipping/create-shipment.ts';
import { quoteShipping } from './commerce/shipping/quote-shipping.ts';
import { applyConnectionWebhook } from './connections/apply-webhook.ts';
import { checkConnection, watchConnection } from './connections/check-connection.ts';
import { blockContact } from './contacts/block-contact.ts';
import { eraseContactRest } from './contacts/erase-contact.ts';
import { exportContacts } from './contacts/export-contacts.ts';
import { importContacts } from './contacts/import-contacts.ts';
import { unblockContact } from './contacts/unblock-contact.ts';
import { deleteType } from './crm/delete-type.ts';
import { dropField } from './crm/drop-field.ts';
import { fetchRates } from './crm/fetch-rates.ts';
import { importCrm } from './crm/import-crm.ts';
import { indexField } from './crm/index-field.ts';
import { remindTask } from './crm/remind-task.ts';
import { removePipeline, removeStage } from './crm/remove-pipeline.ts';
import { replaceOptions } from './crm/replace-options.ts';
import { revalueDeals } from './crm/revalue-deals.ts';
import { deleteFlow } from './flows/delete-flow.ts';
import { deprecateFlow } from './flows/deprecate-flow.ts';
import { importFlows } from './flows/import-flows.ts';
import { previewFlow } from './flows/preview-flow.ts';
import { publishFlow } from './flows/publish-flow.ts';
import { pushFlow } from './flows/push-flow.ts';
import { syncFlow } from './flows/sync-flow.ts';
import { uploadFlowKey } from './flows/upload-key.ts';
import type { Handler } from './handler.ts';
import { sendMail } from './mails/send-mail.ts';
import { clearMedia } from './media/clear-media.ts';
import { fetchFile } from './messaging/fetch-file.ts';
import { markRead, showTyping } from './messaging/mark-read.ts';
import { sendLater } from './messaging/send-later.ts';
import { sendMessage } from './messaging/send-message.ts';
import { wakeConversation } from './messaging/wake-conversation.ts';
import { exchangeToken } from './onboarding/exchange-token.ts';
import { registerPhone } from './onboarding/register-phone.ts';
import { subscribeWebhook } from './onboarding/subscribe-webhook.ts';
import { syncAssets } from './onboarding/sync-assets.ts';
import { amendMessage } from './provider-webhooks/amend-message.ts';
import { applyProviderWebhook } from './provider-webhooks/apply.ts';
import { matchAnswer } from './provider-webhooks/match-answer.ts';
import { matchKeptStatus } from './provider-webhooks/match-status.ts';
import { deleteTemplate } from './templates/delete-template.ts';
import { editTemplate } from './templates/edit-template.ts';
import { submitTemplate } from './templates/submit-template.ts';
import { syncTemplates } from './templates/sync-templates.ts';
import { deliver } from './webhooks/deliver.ts';
import { cancelWebhooks, recoverWebhooks, replayWebhooks } from './webhooks/replay-deliveries.ts';
import { cancelPending, drainPending, hastenPending, resumePending } from './webhooks/settle-pending.ts';

export const handlers = [
  cancelRuns,
  retryRuns,
  sendMessage,
  sendLater,
  markRead,
  showTyping,
  fetchFile,
  syncTemplates,
  checkChannel,
  watchChannel,
  checkConnection,
  watchConnection,
  applyConnectionWebhook,
  submitTemplate,
  editTemplate,
  deleteTemplate,
  pushFlow,
  publishFlow,
  syncFlow,
  deprecateFlow,
  deleteFlow,
  previewFlow,
  importFlows,
  syncBookingCalendar,
  copyBusy,
  renewCalendars,
  renewService,
  quoteShipping,
  createShipment,
  cancelShipment,
  checkShipment,
  wakeConversation,
  runRule,
  startCampaign,
  prepareCampaign,
  feedCampaign,
  withdrawCampaign,
  retryFailed,
  evaluateEvent,
  tickRule,
  remindTask,
  fetchRates,
  removeStage,
  removePipeline,
  revalueDeals,
  importCrm,
  importRecipients,
  replaceOptions,
  applyProviderWebhook,
  matchKeptStatus,
  amendMessage,
  matchAnswer,
  deliver,
  cancelPending,
  drainPending,
  resumePending,
  hastenPending,
  recoverWebhooks,
  replayWebhooks,
  cancelWebhooks,
  sendMail,
  clearMedia,
  eraseContactRest,
  blockContact,
  unblockContact,
  importContacts,
  exportContacts,
  uploadFlowKey,
  exchangeToken,
  subscribeWebhook,
  registerPhone,
  syncAssets,
  indexField,
  dropField,
  deleteType,
  expireOrder,
  createPaymentSession,
  cancelPaymentSession,
  checkPayment,
  refundPayment,
  checkRefund,
] as unknown as Handler<Record<string, string>, unknown>[];
