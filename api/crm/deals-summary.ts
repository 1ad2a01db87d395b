import Joi from 'joi';
import { type StageKind, stageKinds } from '../../src/deals/pipelines/pipeline.entity.ts';
import { defaultStage } from '../../src/deals/stages.ts';
import { summaryOf } from '../../src/deals/summary.ts';
import { exampleIdOf } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { tag } from './deal-schemas.ts';

const count = Joi.number().integer().required();
const text = Joi.string().required();

const summaryView = view(
  'deal_summary',
  Joi.object({
    pipeline_id: id.allow(null).required(),
    stages: Joi.array()
      .items(
        Joi.object({
          stage_id: id.required(),
          name: text,
          kind: text.valid(...stageKinds),
          probability: count.description('In percent'),
          count,
          amounts: Joi.array()
            .items(Joi.object({ currency_code: text, minor_unit: count, count, amount_minor: text }))
            .required()
            .description('By the currency of the deals'),
          at_home: Joi.array()
            .items(
              Joi.object({
                currency_code: text,
                count,
                amount: text.description('A decimal number'),
                weighted_amount: text.description('By the probability of the stage'),
              }),
            )
            .required()
            .description('By the home currency when each deal was written: more than one after the home currency was changed'),
          without_rate: count.description('Deals that are in no sum of `at_home`: there was no rate'),
        }),
      )
      .required(),
  }),
  {
    pipeline_id: exampleIdOf('pipeline'),
    stages: [
      {
        stage_id: exampleIdOf('stage'),
        name: 'Offer',
        kind: 'open',
        probability: 40,
        count: 3,
        amounts: [
          { currency_code: 'EUR', minor_unit: 2, count: 2, amount_minor: '250000' },
          { currency_code: 'JPY', minor_unit: 0, count: 1, amount_minor: '90000' },
        ],
        at_home: [{ currency_code: 'USD', count: 2, amount: '2725.00', weighted_amount: '1090.00' }],
        without_rate: 1,
      },
    ],
  },
);

type Query = { pipeline_id?: string; kind?: StageKind };

export const summaryOfDeals = endpoint({
  method: 'get',
  path: '/v1/crm/deals/summary',
  operationId: 'crm.deals.summary',
  tag,
  subject: 'Pipeline',
  scope: 'crm:read',
  summary: 'Sum up the deals of a pipeline, stage by stage',
  description:
    'Amounts of different currencies are never added. `at_home` has what each deal was worth in the home currency when it was written. What takes too long is a 503 that says so; `kind=open` leaves out closed deals.',
  query: Joi.object<Query>({
    pipeline_id: id.description('Default: the default pipeline'),
    kind: Joi.string()
      .valid(...stageKinds)
      .description('Only stages of this kind'),
  }),
  responses: { 200: summaryView },
  async handler({ query: { pipeline_id, kind }, own }, { reads }) {
    const pipelineId = pipeline_id ?? (await defaultStage(own))?.pipeline_id;
    if (pipelineId === undefined) return ok({ pipeline_id: null, stages: [] });
    return ok({ pipeline_id: pipelineId, stages: await summaryOf(reads, own, pipelineId, kind) });
  },
});
