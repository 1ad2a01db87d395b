import Joi from 'joi';
import { invalidField } from '../../src/platform/errors.ts';
import { getEventCursor } from '../../src/platform/events/cursors.ts';
import { type EventFilter, getEvent, listEvents } from '../../src/platform/events/list.ts';
import { readStream } from '../../src/platform/events/stream.ts';
import { typesIn } from '../../src/platform/events/type-filter.ts';
import { bindingOf, cursorOf, positionIn } from '../../src/platform/listing/cursor.ts';
import { assertKept } from '../../src/platform/retention/kept.ts';
import { momentForm } from '../../src/platform/schemas/moment.ts';
import { type Deps, endpoint, type Input, ok } from '../http/endpoint.ts';
import { metaOf, pageMeta, pageQuery } from '../http/paging.ts';
import { iso, moment, timestamp } from '../http/schemas.ts';
import { type View, view } from '../http/view.ts';
import { cursorName, eventView, seqIn, streamCursor, tag, toEventView } from './schemas.ts';

type ListQuery = {
  limit: number;
  cursor?: string;
  cursor_name?: string;
  order?: 'asc' | 'desc';
  type?: string;
  subject?: string;
  since?: string;
  delivered?: boolean;
};

const listOfEventViews: View = {
  ...view(
    Joi.object({
      items: Joi.array().items(eventView.schema).required(),
      meta: pageMeta.keys({
        lost_until: timestamp.description(
          'With `cursor_name`: events up to this time were deleted for their age before this cursor had come to them',
        ),
      }),
    }),
    {
      items: [eventView.example],
      meta: { has_more: false, limit: 25, next_cursor: streamCursor('1041') },
    },
  ),
  named: eventView.named,
};

export const listOfEvents = endpoint({
  method: 'get',
  path: '/v1/events',
  operationId: 'events.list',
  tag,
  scope: 'events:read',
  summary: 'List what happened',
  description:
    'Newest first, for people. With `order=asc` oldest first, for programs: `next_cursor` is always given and is the place to read on from, now or in a week, with any filters; an event is never skipped, however late its transaction commits. With `cursor_name` Kanal keeps that place: make it with `POST /v1/events/cursors`; then read, work, `POST /v1/events/cursors/{name}/ack`, and read again. A page of filtered events may be short or empty although `has_more` is true. Events are kept for `RETENTION_EVENTS_DAYS`.',
  query: Joi.object<ListQuery>({
    limit: pageQuery.limit,
    cursor: pageQuery.cursor.description('`next_cursor` of the page before'),
    cursor_name: cursorName.description('Begin after what was acknowledged under this name. Implies `order=asc`'),
    order: Joi.string().valid('asc', 'desc').description('`desc` unless there is a `cursor_name`'),
    type: Joi.string().max(1_000).description('Types with commas between them; `message.*` for all that begin so'),
    subject: Joi.string()
      .max(100)
      .lowercase()
      .pattern(/^[a-z_]{1,40}:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '<type>:<id>')
      .description('`<type>:<id>`, as `conversation:01932d5f-3a0e-7cc4-8f4e-0242ac120003`'),
    since: moment.description(`Not older than this: ${momentForm}. 422 for a time before which none are kept`),
    delivered: Joi.boolean().description(
      '`false`: an endpoint has not taken it: the delivery failed, was cancelled, or is still to come. What is under way is among them and may arrive there a moment later; the id is the same. `true`: it has deliveries, and all succeeded',
    ),
  }),
  responses: { 200: listOfEventViews },
  errors: [404],
  handler(input, deps) {
    const { query } = input;
    const { cursor_name: name, order = name === undefined ? 'desc' : 'asc' } = query;
    if (name !== undefined && order === 'desc')
      throw invalidField('order', 'A named cursor reads oldest first', 'any.only', 'query');
    assertKept(query.since, deps.config.retentionEventsDays, { what: 'Events' });
    const [type, id] = query.subject?.split(':') ?? [];
    const filter: EventFilter = {
      types: typesIn(query.type),
      since: query.since,
      isDelivered: query.delivered,
      ...(type && id && { subject: { type, id } }),
    };
    return (order === 'asc' ? oldestFirst : newestFirst)(input, filter, deps);
  },
});

type Asked = Pick<Input<unknown, ListQuery>, 'query' | 'own'>;
type Needed = Pick<Deps, 'database' | 'reads'>;

async function oldestFirst({ query, own }: Asked, filter: EventFilter, deps: Needed) {
  const { limit, cursor, cursor_name: name } = query;
  const kept = name === undefined ? undefined : await getEventCursor(own, name);
  const after = cursor === undefined ? kept?.seq : seqIn(cursor);
  const { rows, next, hasMore } = await readStream(deps, own, filter, { after, limit });
  const meta = {
    ...metaOf({ ...query, include_total: false }, streamCursor(next)),
    has_more: hasMore,
    ...(kept?.lost_until && { lost_until: iso(kept.lost_until) }),
  };
  return ok({ items: rows.map(toEventView), meta });
}

async function newestFirst({ query, own }: Asked, filter: EventFilter, { reads }: Needed) {
  const { limit, cursor } = query;
  const binding = bindingOf(['events', 'desc', filter]);
  const [after] = cursor === undefined ? [] : positionIn<[string]>(cursor, binding, ['seq']);
  const { rows, end } = await listEvents(reads, own, filter, { order: 'desc', after, limit });
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? shown.at(-1)!.seq : end;
  const meta = metaOf({ ...query, include_total: false }, next && cursorOf(binding, [next]));
  return ok({ items: shown.map(toEventView), meta });
}

export const getOneEvent = endpoint({
  method: 'get',
  path: '/v1/events/:eventID',
  operationId: 'events.get',
  tag,
  scope: 'events:read',
  summary: 'Get one event, as its receivers get it',
  subject: 'Event',
  responses: { 200: eventView },
  handler: async ({ params, own }) => ok(toEventView(await getEvent(own, params.eventID))),
});
