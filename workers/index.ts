import { blockContact } from './contacts/block-contact.ts';
import { eraseContactRest } from './contacts/erase-contact.ts';
import { exportContacts } from './contacts/export-contacts.ts';
import { importContacts } from './contacts/import-contacts.ts';
import { unblockContact } from './contacts/unblock-contact.ts';
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
import { matchKeptStatus } from './provider-webhooks/match-status.ts';
import { syncTemplates } from './templates/sync-templates.ts';
import { deliver } from './webhooks/deliver.ts';
import { cancelWebhooks, recoverWebhooks, replayWebhooks } from './webhooks/replay-deliveries.ts';
import { cancelPending, drainPending, hastenPending, resumePending } from './webhooks/settle-pending.ts';

export const handlers = [
  sendMessage,
  sendLater,
  markRead,
  showTyping,
  fetchFile,
  syncTemplates,
  wakeConversation,
  applyProviderWebhook,
  matchKeptStatus,
  amendMessage,
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
  exchangeToken,
  subscribeWebhook,
  registerPhone,
  syncAssets,
] as unknown as Handler<Record<string, string>, unknown>[];
