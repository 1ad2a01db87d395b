import Joi from 'joi';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { momentForm } from '../../src/platform/schemas/moment.ts';
import { momentMs } from '../../src/platform/time/moment.ts';
import { deliveryStates } from '../../src/webhooks/endpoint.entity.ts';
import { replayDelivery, replayOf, replayWaits } from '../../src/webhooks/replay/one.ts';
import type { ReplayKind } from '../../src/webhooks/replay/replay.entity.ts';
import { askForReplay, type ReplayRequest, replayablePatterns, replayLocks } from '../../src/webhooks/replay/request.ts';
import { type Deps, endpoint, type Input, type Reply } from '../http/endpoint.ts';
import { id, moment, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

const tag = 'Webhooks';
const base = '/v1/settings/developer/webhooks';

const replayView = view(
  Joi.object({
    id: id.required(),
    event_id: id.required(),
    endpoint_id: id.required(),
    state: Joi.string()
      .valid(...deliveryStates)
      .required(),
    attempts: Joi.number().integer().required().description('Made so far'),
    waits_for: Joi.string()
      .valid(...replayWaits)
      .allow(null)
      .required()
      .description(
        'null: the try is made now. `endpoint`: once the endpoint is enabled; `order`: behind other events of its subject; `attempt`: one is being made already',
      ),
  }),
  {
    id: '01932d5f-3a0e-7cc4-8f4e-0242ac120020',
    event_id: exampleIds.event,
    endpoint_id: exampleIds.webhookEndpoint,
    state: 'pending',
    attempts: 10,
    waits_for: null,
  },
);

export const replayWebhookDelivery = endpoint({
  method: 'post',
  path: `${base}/deliveries/:deliveryID/replay`,
  operationId: 'webhooks.deliveries.replay',
  tag,
  scope: 'webhooks:write',
  audit: 'webhook_delivery',
  subject: 'Webhook delivery',
  summary: 'Deliver an event again',
  description:
    'Whatever became of the delivery: one that failed, succeeded or was cancelled gets a new try, and if that fails the whole schedule; one that is pending is tried now. The receiver sees the same `webhook-id` and body; fields that an erasure has emptied are empty.',
  isIdempotent: true,
  responses: { 202: replayView },
  handler: ({ params, own, write }) =>
    write(replayOf(own, params.deliveryID), async (tx) => {
      const {
        id: deliveryId,
        event_id,
        endpoint_id,
        state,
        attempts,
        waitsFor,
      } = await replayDelivery(tx.own, params.deliveryID);
      return {
        status: 202,
        body: { id: deliveryId, event_id, endpoint_id, state, attempts, waits_for: waitsFor },
        audit: { details: { endpoint_id } },
      };
    }),
});

type Range = { since?: string; until?: string };
const since = moment.description(`${momentForm}; not in the future, and no longer ago than events are kept`);
const sinceMade = moment.description(
  `When the deliveries were made, with their events: ${momentForm}; not in the future. Ten attempts take three days, with \`Retry-After\` more than four. No longer ago than failed deliveries are kept: as long as events, counted from their last attempt`,
);
const until = moment.description('Exclusive; default: now');
const exampleSince = '2026-11-21T00:00:00.000Z';

const askedView = (kind: ReplayKind, types: string[] | null) =>
  view(
    Joi.object({
      operation_id: id.required().description('Of GET /v1/operations/{operationID}, which shows how far it is'),
      endpoint_id: id.required(),
      since: timestamp.allow(null).required(),
      until: timestamp.allow(null).required().description('null: what there is when it is asked for'),
      event_types: Joi.array().items(Joi.string()).allow(null).required(),
    }),
    {
      operation_id: exampleIds.operation,
      endpoint_id: exampleIds.webhookEndpoint,
      since: kind === 'cancel' ? null : exampleSince,
      until: null,
      event_types: types,
    },
  );

const operationNote =
  'Answers at once with an operation, over any number of deliveries and at a pace that leaves first tries their room (`Location`, `Operation-Id`). It can be paused, resumed and called off. Asked for again before it is over, it is the same operation.';
const againNote = 'Without `until` it then takes what came since, too.';
const about = {
  method: 'post' as const,
  tag,
  scope: 'webhooks:write' as const,
  audit: 'webhook_endpoint',
  subject: 'Webhook endpoint',
  isIdempotent: true,
  isOperation: true,
};

type Asked = Pick<Input<unknown, unknown>, 'caller' | 'write'>;

type Wanted = Omit<ReplayRequest, 'since' | 'until'> & Range;
const dateOf = (time: string | undefined) => (time === undefined ? undefined : new Date(momentMs(time)));

function asked({ caller, write }: Asked, { config }: Deps, wanted: Wanted): Promise<Reply> {
  const request: ReplayRequest = { ...wanted, since: dateOf(wanted.since), until: dateOf(wanted.until) };
  return write({ locks: replayLocks(request) }, async (tx) => {
    const { operationId, types } = await askForReplay(tx, actorOf(caller), request, config.retentionEventsDays);
    const what = {
      operation_id: operationId,
      since: request.since?.toISOString() ?? null,
      until: request.until?.toISOString() ?? null,
      event_types: types,
    };
    return {
      status: 202,
      body: { ...what, endpoint_id: request.endpointId },
      headers: { Location: `/v1/operations/${operationId}` },
      operationId,
      audit: { details: what },
    };
  });
}

export const recoverWebhookEndpoint = endpoint({
  ...about,
  path: `${base}/endpoints/:endpointID/recover`,
  operationId: 'webhooks.endpoints.recover',
  summary: 'Deliver again all that failed at a webhook endpoint',
  description: `Each delivery made since a time whose tries are spent gets a new one, once; tests are left out. ${operationNote} ${againNote}`,
  body: Joi.object<Range & { since: string }>({ since: sinceMade.required(), until }),
  responses: { 202: askedView('recover', null) },
  example: { body: { since: exampleSince } },
  handler: ({ params, body, ...input }, deps) => asked(input, deps, { kind: 'recover', endpointId: params.endpointID, ...body }),
});

export const replayWebhookEndpoint = endpoint({
  ...about,
  path: `${base}/endpoints/:endpointID/replay`,
  operationId: 'webhooks.endpoints.replay',
  summary: 'Deliver all events to a webhook endpoint once more',
  description: `Each event since a time, of some types, gets a new try at the endpoint, once, whether it was delivered or not, and whether the endpoint was there or listened to it then. A delivery that waits for a later try is tried now. ${operationNote}`,
  body: Joi.object<Range & { since: string; event_types?: string[] }>({
    since: since.required(),
    until,
    event_types: Joi.array()
      .items(Joi.string().valid(...replayablePatterns))
      .min(1)
      .max(100)
      .description('Types, and wildcards such as `message.*`. Default: what the endpoint listens to'),
  }),
  responses: { 202: askedView('replay', ['message.sent']) },
  example: { body: { since: exampleSince, event_types: ['message.sent'] } },
  handler: ({ params, body: { event_types: eventTypes, ...range }, ...input }, deps) =>
    asked(input, deps, { kind: 'replay', endpointId: params.endpointID, eventTypes, ...range }),
});

export const cancelWebhookDeliveries = endpoint({
  ...about,
  path: `${base}/endpoints/:endpointID/cancel`,
  operationId: 'webhooks.endpoints.cancel',
  summary: 'Cancel what is still to be delivered to a webhook endpoint',
  description: `Pending deliveries become \`cancelled\` and are not tried any more, until they are replayed. A try in progress ends first, and only what it leaves pending is cancelled. ${operationNote} ${againNote}`,
  body: Joi.object<Range | undefined>({ since, until }),
  responses: { 202: askedView('cancel', null) },
  example: { body: {} },
  handler: ({ params, body, ...input }, deps) => asked(input, deps, { kind: 'cancel', endpointId: params.endpointID, ...body }),
});
