import Joi from 'joi';
import { patchConversation } from '../../messaging/inbox/patch.ts';
import { conversationPatchFields } from '../../messaging/inbox/schemas.ts';
import type { SleepPatch } from '../../messaging/inbox/snooze.ts';
import { id } from '../../platform/ids.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import { idOf } from './about.ts';
import { databaseAction } from './action.ts';

type Fields = SleepPatch & { conversation_id?: string };

export const setConversationStatus = databaseAction<Fields>({
  type: 'set_conversation_status',
  description:
    'Opens, resolves or snoozes a conversation. `snoozed_until` snoozes: it is open again at that time, or when the person writes.',
  scopes: ['conversations:write'],
  fields: Joi.object<Fields>({
    conversation_id: id.description("Default: the run's conversation"),
    status: conversationPatchFields.status,
    snoozed_until: conversationPatchFields.snoozed_until,
  }).or('status', 'snoozed_until'),
  example: { status: 'resolved' },
  async prepare(context, { conversation_id: named, ...patch }) {
    const conversationId = idOf(context, 'conversation', named);
    return {
      locks: [conversationLane(conversationId)],
      async write(tx) {
        const { status } = await patchConversation(tx, conversationId, patch);
        return { conversation_id: conversationId, status };
      },
    };
  },
});
