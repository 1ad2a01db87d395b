import { MediaAsset, MediaUsage } from '../../../src/media/asset.entity.ts';
import { Conversation, ConversationNote } from '../../../src/messaging/conversation.entity.ts';
import { Message } from '../../../src/messaging/message.entity.ts';
import { MessageAttempt } from '../../../src/messaging/message-attempt.entity.ts';
import { ProviderWebhook } from '../../../src/provider-webhooks/provider-webhook.entity.ts';
import { Template } from '../../../src/templates/template.entity.ts';
import { storedRows } from './rows.ts';

export const storedMessageAttempts = storedRows(MessageAttempt);
export const storedMessages = storedRows(Message);
export const storedConversations = storedRows(Conversation);
export const storedConversationNotes = storedRows(ConversationNote);
export const storedMediaAssets = storedRows(MediaAsset);
export const storedMediaUsage = storedRows(MediaUsage);
export const storedTemplates = storedRows(Template);
export const storedProviderWebhooks = storedRows(ProviderWebhook);
