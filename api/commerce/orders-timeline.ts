import Joi from 'joi';
import { listChanges } from '../../src/commerce/orders/timeline.ts';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { aboutOrder } from './order-view.ts';

const changeView = view(
  'order_change',
  Joi.object({
    id: id.required(),
    kind: Joi.string()
      .required()
      .description('What happened: `created`, `status`, `fulfillment_status`, `changed`, `delivery`, …'),
    actor: Joi.string().allow('').required().description('`user:<id>` or `key:<id>`; empty: a provider, a customer, or time'),
    data: Joi.object().unknown().required().description('Ids, states and amounts'),
    created_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('order_change'),
    kind: 'status',
    actor: `user:${exampleIds.user}`,
    data: { from: 'pending', to: 'confirmed', by: 'caller' },
    created_at: exampleTime,
  },
);

export const timelineOfOrder = endpoint({
  ...aboutOrder,
  method: 'get',
  path: '/v1/commerce/orders/:orderID/timeline',
  operationId: 'commerce.orders.timeline',
  scope: 'commerce:read',
  summary: 'List what happened to an order, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(changeView) },
  handler: ({ params: { orderID }, query, own }) =>
    listed(
      'order-timeline',
      { orderID },
      query,
      (page) => listChanges(own, orderID, page),
      ({ created_at, ...row }) => ({ ...row, created_at: iso(created_at) }),
    ),
});
