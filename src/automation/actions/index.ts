import { httpRequest } from '../http/http-request.ts';
import type { Action } from './action.ts';
import { addNoteAction } from './add-note.ts';
import { assignConversation } from './assign-conversation.ts';
import { setConversationStatus } from './conversation-status.ts';
import { createDealAction, moveDealAction, updateDeal } from './deals.ts';
import { link } from './link.ts';
import { setConsentAction, suppressAction } from './permission.ts';
import { createRecordAction, updateRecord } from './records.ts';
import { sendMessage } from './send-message.ts';
import { setField } from './set-field.ts';
import { startRuleAction } from './start-rule.ts';
import { addTag, removeTag } from './tags.ts';
import { createTaskAction, updateTask } from './tasks.ts';

/** In the order of the catalogue. */
const all: Action[] = [
  sendMessage,
  addTag,
  removeTag,
  setField,
  addNoteAction,
  setConsentAction,
  suppressAction,
  assignConversation,
  setConversationStatus,
  createTaskAction,
  updateTask,
  createDealAction,
  updateDeal,
  moveDealAction,
  createRecordAction,
  updateRecord,
  link,
  httpRequest,
  startRuleAction,
];

/** What a step can do, by the type of the step. */
export const actions: Map<string, Action> = new Map(all.map((action) => [action.type, action]));
