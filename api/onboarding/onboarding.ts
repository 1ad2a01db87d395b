import Joi from 'joi';
import { onboardingLane } from '../../src/onboarding/change.ts';
import { deleteOnboarding } from '../../src/onboarding/delete.ts';
import { type StepStatus, stepStatuses } from '../../src/onboarding/onboarding.entity.ts';
import { listOnboardings, listOnboardingsThatAre, readOnboarding } from '../../src/onboarding/queries.ts';
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

type ListQuery = PageQuery & { step_status?: StepStatus };

export const listOfOnboardings = endpoint({
  method: 'get',
  path: '/v1/onboarding',
  operationId: 'onboarding.list',
  tag,
  scope: 'onboarding:read',
  summary: 'List onboardings, newest first',
  query: Joi.object<ListQuery>({
    ...pageQuery,
    step_status: Joi.string()
      .valid(...stepStatuses)
      .description('`failed`: its step can be asked for again; `completed`: it has its channel'),
  }),
  responses: { 200: listOf(progressView) },
  handler({ query, own }) {
    const { step_status: status } = query;
    return listed(
      'onboarding',
      { status },
      query,
      (page) => (status ? listOnboardingsThatAre(own, { status }, page) : listOnboardings(own, {}, page)),
      toView,
    );
  },
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

export const deleteOneOnboarding = endpoint({
  method: 'delete',
  path: '/v1/onboarding/:progressID',
  operationId: 'onboarding.delete',
  tag,
  scope: 'onboarding:write',
  audit: 'onboarding',
  summary: 'Delete an onboarding, with the code, PIN and token that its steps work with',
  description:
    'Its channel stays, and so does what the provider was told. 409 while a step is at work: wait for its end, or call its operation off. Deleting it again is a 404.',
  subject,
  responses: { 204: null },
  errors: [409],
  handler: ({ params, write }) =>
    write({ locks: [onboardingLane(params.progressID)] }, async ({ own }) => {
      await deleteOnboarding(own, params.progressID);
      return { status: 204 };
    }),
});
