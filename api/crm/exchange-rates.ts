import Joi from 'joi';
import {
  addRates,
  listRates,
  maxRates,
  type NewRate,
  type RateFilter,
  type RatePosition,
  type RateRow,
} from '../../src/money/rates.ts';
import { currencyCode } from '../../src/money/schemas.ts';
import { exampleTime } from '../../src/platform/examples.ts';
import { bindingOf, cursorOf, positionIn } from '../../src/platform/listing/cursor.ts';
import { momentForm } from '../../src/platform/schemas/moment.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listOf, type PageQuery, pageFrom, pageQuery } from '../http/paging.ts';
import { iso, moment, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

const tag = 'CRM';
const path = '/v1/crm/exchange-rates';

const rate = Joi.string()
  .max(25)
  .pattern(/^(?=.*[1-9])(0|[1-9]\d{0,11})(\.\d{1,12})?$/)
  .messages({
    'string.pattern.base': '{{#label}} must be a positive decimal with at most 12 digits before and 12 behind the point',
  })
  .description(
    'What one unit of `base` is worth in `quote`: a decimal as text, at most 12 digits before and 12 behind the point',
  );
const source = Joi.string().description('`api`, or `feed` for the daily rates of the installation');

export const rateView = view(
  'exchange_rate',
  Joi.object({
    base: currencyCode.required(),
    quote: currencyCode.required(),
    rate: rate.required(),
    effective_at: timestamp.required(),
    source: source.required(),
    created_at: timestamp.required(),
  }),
  { base: 'EUR', quote: 'USD', rate: '1.0842', effective_at: exampleTime, source: 'api', created_at: exampleTime },
);

const toView = (row: RateRow) => ({
  base: row.base,
  quote: row.quote,
  rate: row.rate,
  effective_at: iso(row.effective_at),
  source: row.source,
  created_at: iso(row.created_at),
});

type RateQuery = PageQuery & RateFilter;

export const listOfRates = endpoint({
  method: 'get',
  path,
  operationId: 'crm.exchange-rates.list',
  tag,
  scope: 'crm_schema:read',
  summary: 'List the exchange rates, newest first',
  query: Joi.object<RateQuery>({
    base: currencyCode.description('With `quote`: the rates of one pair'),
    quote: currencyCode,
    ...pageQuery,
  }).and('base', 'quote'),
  responses: { 200: listOf(rateView) },
  handler: async ({ query, own }) => {
    const { base, quote, limit, cursor, include_total: includeTotal } = query;
    const binding = bindingOf(['crm.exchange-rates', { base, quote }]);
    const after = cursor === undefined ? undefined : positionIn<RatePosition>(cursor, binding, ['time', 'text', 'text']);
    const { rows, total } = await listRates(own, { base, quote }, { limit, after, includeTotal });
    const page = pageFrom(query, rows, (row) => cursorOf(binding, [row.effective_at, row.base, row.quote]), total);
    return ok({ items: page.rows.map(toView), meta: page.meta });
  },
});

type RatesBody = { rates: NewRate[] };

export const putRates = endpoint({
  method: 'put',
  path,
  operationId: 'crm.exchange-rates.put',
  tag,
  scope: 'crm_schema:write',
  audit: 'exchange_rates',
  summary: 'Add exchange rates',
  description:
    'Rates are only added, so that old amounts can be explained: to correct one, add another from a later moment on. A rate sent again is no error; another one for the same pair and moment is a 409, and none is added. The newest rate at a moment counts, whichever way round the pair is written; without any, the rate is crossed over the home currency.',
  body: Joi.object<RatesBody>({
    rates: Joi.array()
      .items(
        Joi.object<NewRate>({
          base: currencyCode.required(),
          quote: currencyCode.disallow(Joi.ref('base')).required().messages({ 'any.invalid': '{{#label}} must not be the base' }),
          rate: rate.required(),
          effective_at: moment.description(`From when it counts: ${momentForm}. Default: now`),
        }),
      )
      .unique((one, other) => ['base', 'quote', 'effective_at'].every((name) => one?.[name] === other?.[name]))
      .min(1)
      .max(maxRates)
      .required(),
  }),
  responses: {
    200: view(Joi.object({ items: Joi.array().items(rateView.schema).required() }), { items: [rateView.example] }),
  },
  errors: [409],
  example: { body: { rates: [{ base: 'EUR', quote: 'USD', rate: '1.0842', effective_at: '2026-11-21' }] } },
  handler: ({ body, write }) =>
    write({}, async ({ own }) => {
      const { rows, added } = await addRates(own, body.rates, 'api');
      return {
        ...ok({ items: rows.map(toView) }),
        audit: { details: { added } },
      };
    }),
});
