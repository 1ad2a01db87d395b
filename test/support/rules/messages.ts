import type { EntityData, InferEntity } from '@mikro-orm/core';
import { Message } from '../../../src/messaging/message.entity.ts';
import type { Em } from '../../../src/platform/database/database.ts';
import { inMs } from './clock.ts';

type StoredMessage = InferEntity<typeof Message>;

export const storedMessage = (em: Em, id: string): Promise<StoredMessage> => em.findOneOrFail(Message, { id });

/** Changes a message behind its job's back. */
export const setMessage = (em: Em, id: string, change: EntityData<StoredMessage>) => em.nativeUpdate(Message, { id }, change);

/** As a claim leaves a queued message: its send is under way. False: it was not queued. */
export const startSending = async (em: Em, id: string): Promise<boolean> =>
  (await em.nativeUpdate(Message, { id, status: 'queued' }, { status: 'sending', sending_at: inMs(0) })) > 0;

export const deleteMessage = (em: Em, id: string) => em.nativeDelete(Message, { id });
