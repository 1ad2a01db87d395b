import Joi from 'joi';
import { changeStock, listMovements, type MovementRow, type StockChange } from '../../src/commerce/catalogue/stock-by-hand.ts';
import { stockMovementKinds } from '../../src/commerce/catalogue/stock-movement.entity.ts';
import { getVariant } from '../../src/commerce/catalogue/variant-row.ts';
import { maxWireAmount } from '../../src/money/steps.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIdOf, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { tag, whole } from './catalogue-schemas.ts';
import { toVariantView, variantView } from './variant-schemas.ts';

const about = { tag, subject: 'Variant' };
const max = Number(maxWireAmount);

export const changeStockOfVariant = endpoint({
  ...about,
  method: 'post',
  path: '/v1/commerce/variants/:variantID/stock',
  operationId: 'commerce.variants.stock',
  scope: 'commerce:write',
  summary: 'Change what is on hand of a variant',
  description:
    'By `delta`, or to `on_hand` as it was counted. Each change is a movement; below what orders have reserved it is a 409 with `value` what they have.',
  audit: 'variant',
  isIdempotent: true,
  body: Joi.object<StockChange>({
    delta: whole(-max, max).description('Pieces more or less'),
    on_hand: whole(0, max).description('Pieces in the house'),
    reason: Joi.string().trim().allow('').max(500),
  }).xor('delta', 'on_hand'),
  responses: { 200: variantView },
  errors: [409],
  example: { body: { delta: 24, reason: 'A box came in' } },
  handler: ({ params, body, caller, write }) =>
    write({}, async ({ own }) => {
      await changeStock(own, params.variantID, body, actorOf(caller));
      return ok(toVariantView(await getVariant(own, params.variantID)));
    }),
});

const movementView = view(
  'stock_movement',
  Joi.object({
    id: id.required(),
    kind: Joi.string()
      .valid(...stockMovementKinds)
      .required()
      .description(
        'reserve: an order was made; release: it was cancelled; commit: it left the house; restock: it came back; adjust: by hand',
      ),
    quantity: Joi.number().integer().required().description('Pieces; of an adjustment those that came, or less than 0'),
    order_id: id.allow(null).required(),
    order_item_id: id.allow(null).required(),
    reason: Joi.string().allow('').required(),
    actor: Joi.string().allow('').required().description('`user:<id>`, `key:<id>`; empty: an order'),
    created_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('movement'),
    kind: 'reserve',
    quantity: 2,
    order_id: exampleIdOf('order'),
    order_item_id: exampleIdOf('order item'),
    reason: '',
    actor: '',
    created_at: exampleTime,
  },
);

const toView = ({ quantity, created_at, ...row }: MovementRow) => ({
  ...row,
  quantity: Number(quantity),
  created_at: iso(created_at),
});

export const listOfMovements = endpoint({
  ...about,
  method: 'get',
  path: '/v1/commerce/variants/:variantID/movements',
  operationId: 'commerce.variants.movements',
  scope: 'commerce:read',
  summary: 'List the movements of a stock, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(movementView) },
  handler: ({ params, query, own }) =>
    listed('commerce.movements', params, query, (page) => listMovements(own, params.variantID, page), toView),
});
