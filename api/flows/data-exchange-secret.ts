import Joi from 'joi';
import { maxOverlapHours, revealFlowSecret, rotateFlowSecret, type ShownSecret } from '../../src/flows/exchange/secret.ts';
import { flowLock, getFlow } from '../../src/flows/flow-row.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { exampleSecret, secretField } from '../webhooks/endpoint-schemas.ts';

const path = '/v1/flows/:flowID/data-exchange';

/** Without the secret before: it still signs, and is read with `webhooks:secrets` alone. */
const rotatedView = view(Joi.object({ secret: secretField, overlap_ends_at: timestamp.allow(null).required() }), {
  secret: exampleSecret,
  overlap_ends_at: '2026-11-22T10:00:00.000Z',
});

const secretView = view(
  Joi.object({
    secret: secretField,
    previous_secret: Joi.string().allow(null).required().description('Signs too, while the overlap of a rotation lasts'),
    overlap_ends_at: timestamp.allow(null).required(),
  }),
  { secret: exampleSecret, previous_secret: null, overlap_ends_at: null },
);

const toView = ({ secret, previousSecret, previousSecretUntil }: ShownSecret) => ({
  secret,
  previous_secret: previousSecret,
  overlap_ends_at: previousSecretUntil && iso(previousSecretUntil),
});

const about = { tag: 'Flows', subject: 'Flow', audit: 'flow', holdsSecret: true } as const;

export const revealDataExchangeSecret = endpoint({
  ...about,
  method: 'get',
  path: `${path}/secret`,
  operationId: 'flows.data-exchange.reveal-secret',
  scope: 'webhooks:secrets',
  summary: 'Read the secret that signs what goes to the endpoint of a flow',
  description: 'Each time is noted in the audit log.',
  responses: { 200: secretView },
  async handler({ params: { flowID: id }, own, write }, { secrets }) {
    await getFlow(own, id);
    return write({ locks: [flowLock(id)] }, async (tx) => ok(toView(await revealFlowSecret(tx.own, id, secrets))));
  },
});

export const rotateDataExchangeSecret = endpoint({
  ...about,
  method: 'post',
  path: `${path}/rotate-secret`,
  operationId: 'flows.data-exchange.rotate-secret',
  scope: 'flows:write',
  summary: 'Give the endpoint of a flow a new secret',
  description:
    'For `overlap_hours` every request carries two signatures, of the new secret and of the one before. While an overlap lasts, another rotation is a 409, except with `overlap_hours` 0, which ends all former secrets at once.',
  isIdempotent: true,
  body: Joi.object<{ overlap_hours: number } | undefined>({
    overlap_hours: Joi.number().strict().integer().min(0).max(maxOverlapHours).default(24).description('At most 7 days'),
  }),
  responses: { 200: rotatedView },
  errors: [409],
  example: { body: { overlap_hours: 24 } },
  async handler({ params: { flowID: id }, body, own, write }, { secrets }) {
    await getFlow(own, id);
    const overlapHours = body?.overlap_hours ?? 24;
    return write({ locks: [flowLock(id)] }, async (tx) => {
      const { secret, overlap_ends_at } = toView(await rotateFlowSecret(tx.own, id, overlapHours, secrets));
      return { ...ok({ secret, overlap_ends_at }), audit: { details: { overlap_hours: overlapHours } } };
    });
  },
});
