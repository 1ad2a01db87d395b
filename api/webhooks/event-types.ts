import Joi from 'joi';
import { catalogue, messageNew } from '../../src/platform/events/catalogue.ts';
import type { EventContract } from '../../src/platform/events/event.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { pageMeta } from '../http/paging.ts';
import { view } from '../http/view.ts';
import { tag } from './endpoint-schemas.ts';

const typeView = Joi.object({
  type: Joi.string().required(),
  description: Joi.string().required(),
  schema: Joi.object().unknown().required().description('JSON Schema 2020-12 of the body that is delivered'),
  example: Joi.object().unknown().required().description('Such a body; a test with this type sends its `data`'),
});

const exampleOfType = {
  type: messageNew.type,
  description: messageNew.description,
  schema: {
    type: 'object',
    properties: { id: { type: 'string', format: 'uuid' }, type: { type: 'string', enum: [messageNew.type] } },
    required: ['id', 'type'],
  },
  example: {
    id: exampleIds.event,
    type: messageNew.type,
    timestamp: exampleTime,
    organization_id: exampleIds.organization,
    data: messageNew.example,
  },
};

type Shown = { type: string; description: string; schema: object; example: object };
/** Of the code, and not of the request: made once, at the first request, as no start needs what makes schemas. */
let made: Promise<Shown[]> | undefined;

async function allTypes(): Promise<Shown[]> {
  const { deliveredAs } = await import('../http/openapi/webhooks.ts');
  return (catalogue as readonly EventContract[]).map((event) => ({
    type: event.type,
    description: event.description,
    ...deliveredAs(event),
  }));
}

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
      items: [exampleOfType],
      meta: metaOf(1),
    }),
  },
  async handler() {
    made ??= allTypes();
    const items = await made;
    return ok({ items, meta: metaOf(items.length) });
  },
});
