import Joi from 'joi';
import { catalogue, messageNew } from '../../src/platform/events/catalogue.ts';
import type { EventContract } from '../../src/platform/events/event.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { deliveredAs } from '../http/openapi/webhooks.ts';
import { pageMeta } from '../http/paging.ts';
import { view } from '../http/view.ts';
import { tag } from './endpoint-schemas.ts';

const typeView = Joi.object({
  type: Joi.string().required(),
  description: Joi.string().required(),
  schema: Joi.object().unknown().required().description('JSON Schema 2020-12 of the body that is delivered'),
  example: Joi.object().unknown().required().description('Such a body; a test with this type sends its `data`'),
});

const toView = (event: EventContract) => ({ type: event.type, description: event.description, ...deliveredAs(event) });

/** Of the code, and not of the request: made once. */
let made: ReturnType<typeof toView>[] | undefined;

const metaOf = (count: number) => ({ has_more: false, limit: count });

export const listOfEventTypes = endpoint({
  method: 'get',
  path: '/v1/settings/developer/webhooks/event-types',
  operationId: 'webhooks.event-types.list',
  tag,
  scope: 'webhooks:read',
  summary: 'List the types of events',
  description: 'All of them, on one page: what an endpoint can listen to, and a test can send.',
  responses: {
    200: view(Joi.object({ items: Joi.array().items(typeView).required(), meta: pageMeta }), {
      items: [toView(messageNew as unknown as EventContract)],
      meta: metaOf(1),
    }),
  },
  async handler() {
    made ??= catalogue.map(toView);
    return ok({ items: made, meta: metaOf(made.length) });
  },
});
