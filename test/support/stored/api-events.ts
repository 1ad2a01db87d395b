import { Event } from '../../../src/platform/events/event.entity.ts';
import { EventCursor } from '../../../src/platform/events/event-cursor.entity.ts';
import { storedRows } from './rows.ts';

export const storedEventCursors = storedRows(EventCursor);
export const storedEvents = storedRows(Event);
