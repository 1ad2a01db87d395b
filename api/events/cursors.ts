import Joi from 'joi';
import {
  ackEvents,
  createEventCursor,
  deleteEventCursor,
  type EventCursorRow,
  getEventCursor,
  listEventCursors,
  maxEventCursors,
} from '../../src/platform/events/cursors.ts';
import { exampleTime } from '../../src/platform/examples.ts';
import { assertKept } from '../../src/platform/retention/kept.ts';
import { momentForm } from '../../src/platform/schemas/moment.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listOf, pageQuery } from '../http/paging.ts';
import { iso, moment, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { cursorName, seqIn, streamCursor, tag } from './schemas.ts';

const path = '/v1/events/cursors/:cursorName';
const about = { tag, scope: 'events:read', subject: 'Event cursor', params: { cursorName } } as const;
const example = { params: { cursorName: 'billing' } };

export const cursorView = view(
  'event_cursor',
  Joi.object({
    name: Joi.string().required(),
    cursor: Joi.string().required().description('How far its client has read'),
    event_at: timestamp.allow(null).required().description('Of the last event that was read; null: none was'),
    lost_until: timestamp
      .allow(null)
      .required()
      .description('Events up to this time were deleted for their age before they were acknowledged'),
    created_at: timestamp.required(),
    acked_at: timestamp.required(),
  }),
  {
    name: 'billing',
    cursor: streamCursor('1041'),
    event_at: exampleTime,
    lost_until: null,
    created_at: exampleTime,
    acked_at: exampleTime,
  },
);

const toView = ({ name, seq, event_at, lost_until, created_at, acked_at }: EventCursorRow) => ({
  name,
  cursor: streamCursor(seq),
  event_at: event_at && iso(event_at),
  lost_until: lost_until && iso(lost_until),
  created_at: iso(created_at),
  acked_at: iso(acked_at),
});

export const listOfCursors = endpoint({
  method: 'get',
  path: '/v1/events/cursors',
  operationId: 'events.cursors.list',
  tag,
  scope: 'events:read',
  summary: 'List the named cursors over events, by name',
  responses: { 200: listOf(cursorView) },
  handler: async ({ own }) =>
    ok({ items: (await listEventCursors(own)).map(toView), meta: { has_more: false, limit: maxEventCursors } }),
});

export const createCursor = endpoint({
  method: 'post',
  path: '/v1/events/cursors',
  operationId: 'events.cursors.create',
  tag,
  scope: 'events:read',
  summary: 'Create a named cursor over events',
  description: `For a program that reads events where no webhook can reach it, and is away at times. At most ${maxEventCursors} in an organization.`,
  isIdempotent: true,
  body: Joi.object<{ name: string; since?: string }>({
    name: cursorName.required(),
    since: moment.description(`Begin here: ${momentForm}. Default: the oldest event that is kept`),
  }),
  responses: { 201: cursorView },
  example: { body: { name: 'billing' } },
  async handler({ body, write }, { config }) {
    const { name, since } = body;
    assertKept(since, config.retentionEventsDays, { what: 'Events', location: 'body' });
    const headers = { Location: `/v1/events/cursors/${name}` };
    return write({}, async (tx) => ({ status: 201, headers, body: toView(await createEventCursor(tx.own, name, since)) }));
  },
});

export const getCursor = endpoint({
  ...about,
  method: 'get',
  path,
  operationId: 'events.cursors.get',
  summary: 'Get a named cursor',
  responses: { 200: cursorView },
  example,
  handler: async ({ params, own }) => ok(toView(await getEventCursor(own, params.cursorName))),
});

export const ackCursor = endpoint({
  ...about,
  method: 'post',
  path: `${path}/ack`,
  operationId: 'events.cursors.ack',
  summary: 'Acknowledge the events up to a cursor',
  description:
    'The next read with `cursor_name` begins after them. It never goes back: an older cursor changes nothing. One that is ahead of all events is a 422, `ahead`: it would skip what is to come.',
  body: Joi.object<{ cursor: string }>({
    cursor: pageQuery.cursor.required().description('`next_cursor` of the page whose events are done'),
  }),
  responses: { 200: cursorView },
  example: { ...example, body: { cursor: streamCursor('1041') } },
  handler: ({ params, body, write }) => {
    const seq = seqIn(body.cursor);
    return write({}, async (tx) => ok(toView(await ackEvents(tx.own, params.cursorName, seq))));
  },
});

export const deleteCursor = endpoint({
  ...about,
  method: 'delete',
  path,
  operationId: 'events.cursors.delete',
  summary: 'Delete a named cursor',
  responses: { 204: null },
  example,
  handler: ({ params, write }) =>
    write({}, async (tx) => {
      await deleteEventCursor(tx.own, params.cursorName);
      return { status: 204 };
    }),
});
