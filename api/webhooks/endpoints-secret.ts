import Joi from 'joi';
import { endpointLock } from '../../src/webhooks/endpoints.ts';
import { maxOverlapHours, revealSecret, rotateSecret } from '../../src/webhooks/rotate-secret.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { iso, timestamp } from '../http/schemas.ts';
import { view, withExample } from '../http/view.ts';
import { aboutEndpoint, base, exampleSecret, secretField, toView, withSecret } from './endpoint-schemas.ts';

export const rotateWebhookSecret = endpoint({
  ...aboutEndpoint,
  method: 'post',
  path: `${base}/:endpointID/rotate-secret`,
  operationId: 'webhooks.endpoints.rotate-secret',
  scope: 'webhooks:write',
  audit: 'webhook_endpoint',
  summary: 'Give a webhook endpoint a new secret',
  description:
    'For `overlap_hours` every delivery carries two signatures, of the new secret and of the one before: a receiver may change over at any time. Then the old one is erased. While an overlap lasts, another rotation is a 409, except with `overlap_hours` 0, which ends all former secrets at once.',
  isIdempotent: true,
  holdsSecret: true,
  body: Joi.object<{ overlap_hours: number } | undefined>({
    overlap_hours: Joi.number().strict().integer().min(0).max(maxOverlapHours).default(24).description('At most 7 days'),
  }),
  responses: { 200: withExample(withSecret, { overlap_ends_at: '2026-11-22T10:00:00.000Z' }) },
  errors: [409],
  example: { body: { overlap_hours: 24 } },
  handler({ params: { endpointID: id }, body, write }, { secrets }) {
    const overlapHours = body?.overlap_hours ?? 24;
    return write({ locks: [endpointLock(id)] }, async ({ own }) => {
      const row = await rotateSecret(own, id, overlapHours, secrets);
      return { ...ok({ ...toView(row, secrets), secret: row.secret }), audit: { details: { overlap_hours: overlapHours } } };
    });
  },
});

const revealed = view(
  Joi.object({
    secret: secretField,
    previous_secret: Joi.string().allow(null).required().description('Signs too, while the overlap of a rotation lasts'),
    overlap_ends_at: timestamp.allow(null).required(),
  }),
  { secret: exampleSecret, previous_secret: null, overlap_ends_at: null },
);

export const revealWebhookSecret = endpoint({
  ...aboutEndpoint,
  method: 'get',
  path: `${base}/:endpointID/secret`,
  operationId: 'webhooks.endpoints.reveal-secret',
  scope: 'webhooks:secrets',
  audit: 'webhook_endpoint',
  summary: 'Read the secret of a webhook endpoint',
  description: 'Each time is noted in the audit log.',
  holdsSecret: true,
  responses: { 200: revealed },
  async handler({ params, own, write }, { secrets }) {
    const { secret, previousSecret, previousSecretUntil } = await revealSecret(own, params.endpointID, secrets);
    const body = {
      secret,
      previous_secret: previousSecret,
      overlap_ends_at: previousSecretUntil && iso(previousSecretUntil),
    };
    return write({}, async () => ok(body));
  },
});
