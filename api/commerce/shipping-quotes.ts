import Joi from 'joi';
import { parcelOfDraft } from '../../src/commerce/delivery/draft-items.ts';
import { postalCode } from '../../src/commerce/delivery/origin.ts';
import { quoteStatuses } from '../../src/commerce/delivery/quote.entity.ts';
import type { Given } from '../../src/commerce/delivery/quoted-items.ts';
import { askForQuote, getQuote, type QuoteRow } from '../../src/commerce/delivery/quotes.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { invalidField } from '../../src/platform/errors.ts';
import { exampleIdOf, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id, iso, operationNote, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { exampleArea } from './shipping-areas.ts';

const text = Joi.string().required();
export const failureSchema = Joi.object({
  code: text,
  message: text,
  provider_code: Joi.string().allow(null).description("The provider's own"),
})
  .allow(null)
  .required();

const rate = Joi.object({
  id: id.required().description('`rate_id` of an order'),
  courier_code: text,
  courier_name: text,
  courier_service_code: text,
  courier_service_name: text,
  duration: Joi.string().allow('').required().description('In the words of the shipper'),
  shipper_price_idr: Joi.number().integer().required().description('Whole rupiah, as the shipper says it'),
  fee_amount: Joi.number().integer().required().description('The delivery fee of an order: minor units of the currency'),
  currency: text,
});

const quoteView = view(
  'shipping_quote',
  Joi.object({
    id: id.required(),
    status: Joi.string()
      .valid(...quoteStatuses)
      .required()
      .description('Pending while the shipper is asked'),
    connection_id: id.required(),
    destination: Joi.object({ area_id: text, postal_code: Joi.string() }).required(),
    items: Joi.array()
      .items(Joi.object({ variant_id: id.required(), quantity: Joi.number().integer().required() }))
      .required(),
    rates: Joi.array().items(rate).required(),
    failure: failureSchema,
    expires_at: timestamp.required().description('An order takes a rate until then'),
    created_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('quote'),
    status: 'ready',
    connection_id: exampleIdOf('connection'),
    destination: { area_id: exampleArea.id },
    items: [{ variant_id: exampleIdOf('variant'), quantity: 2 }],
    rates: [
      {
        id: exampleIdOf('rate'),
        courier_code: 'jne',
        courier_name: 'JNE',
        courier_service_code: 'reg',
        courier_service_name: 'Reguler',
        duration: '2 - 3 days',
        shipper_price_idr: 12_000,
        fee_amount: 1_200_000,
        currency: 'IDR',
      },
    ],
    failure: null,
    expires_at: exampleTime,
    created_at: exampleTime,
  },
);

const toView = ({ items, expires_at, created_at, ...quote }: QuoteRow) => ({
  ...quote,
  items: items.map(({ variant_id, quantity }) => ({ variant_id, quantity })),
  expires_at: iso(expires_at),
  created_at: iso(created_at),
});

type QuoteBody = {
  connection_id?: string;
  delivery_method_id?: string;
  destination?: { area_id: string; postal_code?: string };
  items?: Given[];
  draft_order_id?: string;
};

const about = { tag: 'Commerce', subject: 'Quote' } as const;

export const createShippingQuote = endpoint({
  ...about,
  method: 'post',
  path: '/v1/commerce/shipping-quotes',
  operationId: 'commerce.shipping-quotes.create',
  scope: 'commerce:write',
  audit: 'quote',
  summary: 'Ask a shipper what a delivery costs',
  description: `The rates are good for 30 minutes: an order names \`quote_id\` and \`rate_id\`, never a fee. The shipper counts in rupiah: each variant needs a price in IDR and a weight, and the settings of the store an origin. 422 \`connection_required\` without a shipper, 409 for one that is not connected. ${operationNote}`,
  isIdempotent: true,
  isOperation: true,
  body: Joi.object<QuoteBody>({
    connection_id: id.description("A shipper connection; else the delivery method's, else the default one"),
    delivery_method_id: id.description('One of kind live'),
    destination: Joi.object({
      area_id: Joi.string().trim().min(1).max(200).required().description('Of GET /v1/commerce/shipping-areas'),
      postal_code: postalCode,
    }).description("Without it the draft's address"),
    items: Joi.array()
      .items(
        Joi.object({
          variant_id: id.required(),
          quantity: Joi.number().strict().integer().min(1).max(10_000).required(),
        }),
      )
      .min(1)
      .max(100),
    draft_order_id: id.description('In place of `items`'),
  }).xor('items', 'draft_order_id'),
  responses: { 201: quoteView },
  errors: [404, 409],
  example: {
    body: { destination: { area_id: exampleArea.id }, items: [{ variant_id: exampleIdOf('variant'), quantity: 2 }] },
  },
  async handler({ body: { items: given, draft_order_id, destination, ...wish }, own, write }) {
    const draft = draft_order_id === undefined ? undefined : await parcelOfDraft(own, draft_order_id);
    const to = destination ?? (draft?.areaId === undefined ? undefined : { area_id: draft.areaId });
    if (!to) throw invalidField('destination', 'Where is it to be sent?', 'any.required');
    const items = given ?? draft?.items ?? [];
    if (items.length === 0) throw invalidField('draft_order_id', 'The draft has no items', 'items.required');
    return write({}, async (tx) => {
      const field = given ? 'items' : 'draft_order_id';
      const { id: quoteId, operationId } = await askForQuote(tx.own, { ...wish, destination: to, items, field });
      return { status: 201, body: await shownQuote(tx.own, quoteId), operationId };
    });
  },
  outcome: async ({ own }, _deps, reply) => ({ ...reply, body: await shownQuote(own, (reply.body as { id: string }).id) }),
});

const shownQuote = async (own: Own, quoteId: string) => toView(await getQuote(own, quoteId));

export const getShippingQuote = endpoint({
  ...about,
  method: 'get',
  path: '/v1/commerce/shipping-quotes/:quoteID',
  operationId: 'commerce.shipping-quotes.get',
  scope: 'commerce:read',
  summary: 'Get a quote and its rates',
  description: 'Kept for two days.',
  responses: { 200: quoteView },
  handler: async ({ params, own }) => ok(await shownQuote(own, params.quoteID)),
});
