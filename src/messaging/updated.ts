import type { RowOf } from '../platform/database/tables.ts';
import { messageUpdated } from '../platform/events/catalogue.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Message } from './message.entity.ts';

export type UpdateCause = 'edited' | 'deleted' | 'media_stored' | 'media_failed';

/** Needs the conversation's lock. */
export function emitUpdated(
  tx: OwnTx,
  { id, conversation_id, channel_id }: RowOf<typeof Message, 'id' | 'conversation_id' | 'channel_id'>,
  cause: UpdateCause,
) {
  tx.emit(messageUpdated, { message_id: id, conversation_id, channel_id, cause });
}
