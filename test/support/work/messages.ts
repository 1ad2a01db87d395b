import { MediaAsset } from '../../../src/media/asset.entity.ts';
import { Conversation } from '../../../src/messaging/conversation.entity.ts';
import { MediaFetch, MediaUpload } from '../../../src/messaging/files/file.entity.ts';
import { Message } from '../../../src/messaging/message.entity.ts';
import { MessageAttempt } from '../../../src/messaging/message-attempt.entity.ts';
import { rowsOf } from './rows.ts';

export const messageRows = rowsOf(Message);
export const messageAttemptRows = rowsOf(MessageAttempt);
export const fetchRows = rowsOf(MediaFetch);
export const uploadRows = rowsOf(MediaUpload);
export const assetRows = rowsOf(MediaAsset);
export const conversationRows = rowsOf(Conversation);
