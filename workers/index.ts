import { importContacts } from './contacts/import-contacts.ts';
import type { Handler } from './handler.ts';
import { sendMail } from './mails/send-mail.ts';
import { sendMessage } from './messaging/send-message.ts';
import { syncTemplates } from './messaging/sync-templates.ts';
import { applyProviderWebhook } from './provider-webhooks/apply.ts';
import { matchKeptStatus } from './provider-webhooks/match-status.ts';
import { deliver } from './webhooks/deliver.ts';

/** Every handler; one a job. */
export const handlers = [
  sendMessage,
  syncTemplates,
  applyProviderWebhook,
  matchKeptStatus,
  deliver,
  sendMail,
  importContacts,
] as unknown as Handler<Record<string, string>, unknown>[];
