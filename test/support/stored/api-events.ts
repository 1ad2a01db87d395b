import { Event } from '../../../src/platform/events/event.entity.ts';
import { EventCursor } from '../../../src/platform/events/event-cursor.entity.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Database, storedRows } from './rows.ts';

export const storedEventCursors = storedRows(EventCursor);
export const storedEvents = storedRows(Event);

/** An event of a contact that does not exist; its id. */
export const contactEvent = (app: Database, organizationId: string): Promise<string> =>
  storedEvents.add(app, {
    organization_id: organizationId,
    type: 'contact.created',
    subject_type: 'contact',
    subject_id: uuidv7(),
    data: {},
  });
