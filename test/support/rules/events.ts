import type { InferEntity } from '@mikro-orm/core';
import type { Em } from '../../../src/platform/database/database.ts';
import { Event } from '../../../src/platform/events/event.entity.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';

type StoredEvent = InferEntity<typeof Event>;

/** The events of one subject, oldest first; of one type, where one is named. */
export const eventsOf = (em: Em, subjectId: string, type?: string): Promise<StoredEvent[]> =>
  em.find(Event, { subject_id: subjectId, ...(type && { type }) }, { orderBy: { seq: 'asc' } });

/** All events of one type, oldest first. */
export const eventsOfType = (em: Em, type: string): Promise<StoredEvent[]> =>
  em.find(Event, { type }, { orderBy: { seq: 'asc' } });

/** An event as a row: no webhook delivers it and no rule evaluates it. Its id. */
export async function storeEvent(
  em: Em,
  organizationId: string,
  { type, subjectType, subjectId, data = {} }: { type: string; subjectType: string; subjectId: string; data?: object },
): Promise<string> {
  const id = uuidv7();
  await em.insert(Event, {
    organization_id: organizationId,
    id,
    type,
    subject_type: subjectType,
    subject_id: subjectId,
    data: { ...data },
  } as never);
  return id;
}
