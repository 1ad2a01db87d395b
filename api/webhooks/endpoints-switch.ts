import Joi from 'joi';
import { endpointLock } from '../../src/webhooks/endpoints.ts';
import { type HeldPolicy, heldPolicies, type Switched, switchOff, switchOn } from '../../src/webhooks/switch-endpoint.ts';
import { type Deps, endpoint, ok } from '../http/endpoint.ts';
import { operationNote } from '../http/schemas.ts';
import { withExample } from '../http/view.ts';
import { aboutEndpoint, base, endpointView, toView } from './endpoint-schemas.ts';

type SwitchBody = { held: HeldPolicy } | undefined;

const held = Joi.string()
  .valid(...heldPolicies)
  .default('keep');

const shared = {
  ...aboutEndpoint,
  method: 'post' as const,
  scope: 'webhooks:write' as const,
  audit: 'webhook_endpoint',
  isIdempotent: true,
  isOperation: true,
};

const note =
  'Where deliveries have to be changed for it, the reply names the operation that does so in `Operation-Id`: there may be any number of them.';

const replyOf = ({ endpoint: row, operationId }: Switched, policy: HeldPolicy, { secrets }: Deps) => ({
  ...ok(toView(row, secrets)),
  operationId,
  audit: { details: { held: policy } },
});

export const disableWebhookEndpoint = endpoint({
  ...shared,
  path: `${base}/:endpointID/disable`,
  operationId: 'webhooks.endpoints.disable',
  summary: 'Disable a webhook endpoint',
  description: `Nothing is sent to it; events from now on are kept for it. \`held\` says what becomes of the deliveries that wait now: \`keep\` holds them until it is enabled, \`release\` still delivers them unless it answers 410, \`drop\` cancels them. A request under way ends as it ends. Asked of a disabled endpoint, it applies \`held\` to what waits then. The other endpoints are told by \`endpoint.disabled\`. ${note} ${operationNote}`,
  body: Joi.object<SwitchBody>({ held: held.description('For what waits now: keep it, deliver it all the same, or cancel it') }),
  responses: {
    200: withExample(endpointView, { enabled: false, disabled_reason: 'manual', disabled_at: '2026-11-21T10:00:00.000Z' }),
  },
  example: { body: { held: 'keep' } },
  handler({ params: { endpointID: id }, body, write }, deps) {
    const policy = body?.held ?? 'keep';
    return write({ locks: [endpointLock(id)] }, async (tx) => replyOf(await switchOff(tx, id, policy, 'manual'), policy, deps));
  },
});

export const enableWebhookEndpoint = endpoint({
  ...shared,
  path: `${base}/:endpointID/enable`,
  operationId: 'webhooks.endpoints.enable',
  summary: 'Enable a webhook endpoint',
  description: `\`held\` says what becomes of the deliveries that were kept: \`keep\` lets them go on, each at the time of its next attempt, which for most is now; \`release\` sends all of them now, those that wait for a later attempt too; \`drop\` cancels them, and only events from now on are delivered. Does nothing to an enabled endpoint. ${note} ${operationNote}`,
  body: Joi.object<SwitchBody>({ held: held.description('For what was kept: let it go on, send all of it now, or cancel it') }),
  responses: { 200: endpointView },
  example: { body: { held: 'release' } },
  handler({ params: { endpointID: id }, body, write }, deps) {
    const policy = body?.held ?? 'keep';
    return write({ locks: [endpointLock(id)] }, async (tx) => replyOf(await switchOn(tx, id, policy), policy, deps));
  },
});
