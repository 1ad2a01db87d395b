import Joi from 'joi';
import { envelopeOf } from '../../src/platform/events/envelope.ts';
import type { EventRow } from '../../src/platform/events/list.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { bindingOf, cursorOf, positionIn } from '../../src/platform/listing/cursor.ts';
import { id, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'Events';

export const eventView = view(
  'event',
  Joi.object({
    id: id.required().description('The `webhook-id` of its deliveries: whoever gets an event both ways knows it by this'),
    type: Joi.string().required(),
    timestamp: timestamp.required().description('When it happened'),
    organization_id: id.required(),
    data: Joi.object().unknown().required().description('As described for its type under Webhooks'),
    subject: Joi.object({ type: Joi.string().required(), id: id.required() })
      .required()
      .description('What it is about; the events of one subject are in the order in which they happened'),
  }),
  {
    id: exampleIds.event,
    type: 'message.sent',
    timestamp: exampleTime,
    organization_id: exampleIds.organization,
    data: { message_id: exampleIds.message, conversation_id: exampleIds.conversation, channel_id: exampleIds.channel },
    subject: { type: 'conversation', id: exampleIds.conversation },
  },
);

/** What a receiver gets, and the subject. */
export const toEventView = (row: EventRow) => ({
  ...envelopeOf(row),
  subject: { type: row.subject_type, id: row.subject_id },
});

/** A place in the organization's events, whatever the filters: so that it can be acknowledged under a name. */
const stream = bindingOf(['events', 'asc']);
export const streamCursor = (seq: string) => cursorOf(stream, [seq]);
/** Throws 400. */
export const seqIn = (cursor: string): string => positionIn<[string]>(cursor, stream, ['seq'])[0];

export const cursorName = Joi.string()
  .max(64)
  .pattern(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'name')
  .description('Letters, digits, `.`, `_` and `-`, 64 at most');
