import Joi from 'joi';
import { listOnboardings, readOnboarding } from '../../src/onboarding/queries.ts';
import { startOnboarding } from '../../src/onboarding/start.ts';
import { channelName, channelRate } from '../channels/channels.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { withExample } from '../http/view.ts';
import { progressView, subject, tag, toView } from './schemas.ts';

const started = {
  waba_id: null,
  phone_number_id: null,
  current_step: 'exchange_token',
  completed_steps: [],
};

type StartBody = { name?: string; rate: number } | undefined;

export const startOneOnboarding = endpoint({
  method: 'post',
  path: '/v1/onboarding',
  operationId: 'onboarding.start',
  tag,
  scope: 'onboarding:write',
  audit: 'onboarding',
  summary: 'Start the onboarding of a number',
  description:
    "For a number whose owner goes through the provider's embedded signup. The steps are asked for one after the other: exchange_token, subscribe_webhook, register_phone, sync_assets. It ends with a connected channel. What is not completed is deleted 30 days after its last change (`RETENTION_ONBOARDINGS_DAYS`).",
  isIdempotent: true,
  body: Joi.object<StartBody>({
    name: channelName.description("Of the channel. Default: the number's verified name"),
    rate: channelRate.default(80),
  }),
  responses: { 201: withExample(progressView, started) },
  example: { body: { name: 'Support' } },
  handler: ({ body, write }) =>
    write({}, async ({ own }) => ({ status: 201, body: toView(await startOnboarding(own, { rate: 80, ...body })) })),
});

export const listOfOnboardings = endpoint({
  method: 'get',
  path: '/v1/onboarding',
  operationId: 'onboarding.list',
  tag,
  scope: 'onboarding:read',
  summary: 'List onboardings, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(progressView) },
  handler: ({ query, own }) => listed('onboarding', {}, query, (page) => listOnboardings(own, {}, page), toView),
});

export const getOnboarding = endpoint({
  method: 'get',
  path: '/v1/onboarding/:progressID',
  operationId: 'onboarding.get',
  tag,
  scope: 'onboarding:read',
  summary: 'Get an onboarding: how far it is',
  subject,
  responses: { 200: progressView },
  handler: async ({ params, own }) => ok(toView(await readOnboarding(own, params.progressID))),
});
