import Joi from 'joi';
import { type Asked, askOfFlow } from '../../src/flows/ask.ts';
import type { FlowWork } from '../../src/flows/flow.entity.ts';
import { flowLock, getFlow } from '../../src/flows/flow-row.ts';
import type { FlowWay } from '../../src/flows/jobs.ts';
import type { Deps, Input, Reply } from '../http/endpoint.ts';
import { endpoint } from '../http/endpoint.ts';
import { operationNote } from '../http/schemas.ts';
import { aboutFlow, flowReply, flowView } from './schemas.ts';

const about = {
  ...aboutFlow,
  method: 'post',
  scope: 'flows:write',
  audit: 'flow',
  isIdempotent: true,
  isOperation: true,
  responses: { 200: flowView },
  errors: [409],
} as const;

const busy = '409 too while another operation of the flow is under way, whose id is in `details`.';

type OfFlow = Pick<Input<unknown, unknown, { flowID: string }>, 'params' | 'own' | 'write'>;

/** The flow as it stands, and the operation. */
const ask = ({ params: { flowID }, write }: OfFlow, { secrets }: Deps, work: FlowWork, way: FlowWay = ''): Promise<Reply> =>
  write({ locks: [flowLock(flowID)] }, async ({ own }) => {
    const { operationId }: Asked = await askOfFlow(own, flowID, { work, way });
    return { ...flowReply(await getFlow(own, flowID), secrets), ...(operationId && { operationId }) };
  });

const outcome = async ({ params, own }: OfFlow, { secrets }: Deps): Promise<Reply> =>
  flowReply(await getFlow(own, params.flowID), secrets);

type PushBody = { force?: boolean; allow_unpublish?: boolean };
const force = Joi.boolean().strict().description('Replace what somebody changed at the provider');

const pushWay = ({ force: isForced, allow_unpublish }: PushBody): FlowWay =>
  `${isForced ? 'force' : ''}${isForced && allow_unpublish ? ' ' : ''}${allow_unpublish ? 'unpublish' : ''}` as FlowWay;

export const pushOneFlow = endpoint({
  ...about,
  path: '/v1/flows/:flowID/push',
  operationId: 'flows.push',
  summary: 'Bring a flow to the provider, as it stands here',
  description: `One that the provider does not have is made there, once. 422 \`flow_invalid\` for a document with faults. What somebody changed at the provider since the last exchange, in the document or in a name or categories that are to be sent, is not overwritten: then it ends with \`conflict\`, for a client that waits a 409, and \`drift\` says so. A published flow is pushed with \`allow_unpublish\` alone, which may make it a draft; POST …/publish pushes and publishes. What is changed here meanwhile stays \`has_local_changes\`. ${busy} ${operationNote}`,
  body: Joi.object<PushBody>({
    force,
    allow_unpublish: Joi.boolean().strict().description('A published flow may become a draft by it'),
  }),
  example: { body: { force: false } },
  handler: (input, deps) => ask(input, deps, 'push', pushWay(input.body ?? {})),
  outcome,
});

export const publishOneFlow = endpoint({
  ...about,
  path: '/v1/flows/:flowID/publish',
  operationId: 'flows.publish',
  summary: 'Publish a flow',
  description: `What is changed here is pushed first, in the same operation: a published flow with changes is published anew. One that is published as it stands here is answered at once, unless it has a \`data_exchange.url\`: then the provider's copy is looked at, and gets Kanal's address if it has another. 422 \`flow_invalid\` when the document has faults, by our rules or the provider's; 409 for one that is throttled, blocked or deprecated, and as for a push. ${busy} ${operationNote}`,
  body: Joi.object<{ force?: boolean }>({ force }),
  example: { body: { force: false } },
  handler: (input, deps) => ask(input, deps, 'publish', input.body?.force ? 'force' : ''),
  outcome,
});

export const syncOneFlow = endpoint({
  ...about,
  path: '/v1/flows/:flowID/sync',
  operationId: 'flows.sync',
  summary: 'Fetch a flow from the provider',
  description: `Takes its status, preview and faults, and its document where nothing was changed here. Where both sides changed, only the status is taken: it ends with \`conflict\`, for a client that waits a 409, and \`drift\` says so until somebody decides, by \`take=provider\` here or a push or publish with \`force\`. 409 at once for a flow that the provider does not have, and for a channel that is not connected. Asked again while it is under way it is the same operation. A flow that is gone at the provider becomes a draft: 422. ${busy} ${operationNote}`,
  query: Joi.object<{ take?: 'provider' }>({
    take: Joi.string().valid('provider').description("Drop what was changed here for the provider's document"),
  }),
  handler: (input, deps) => ask(input, deps, 'sync', input.query.take ? 'take' : ''),
  outcome,
});

export const deprecateOneFlow = endpoint({
  ...about,
  path: '/v1/flows/:flowID/deprecate',
  operationId: 'flows.deprecate',
  summary: 'Deprecate a flow: it can be neither sent nor changed any more',
  description: `For ever. One that is deprecated is answered at once; a draft is a 409. ${busy} ${operationNote}`,
  handler: (input, deps) => ask(input, deps, 'deprecate'),
  outcome,
});

export const previewOneFlow = endpoint({
  ...about,
  path: '/v1/flows/:flowID/preview',
  operationId: 'flows.preview',
  summary: 'Get an address that shows the flow as the provider has it',
  description: `It is in \`preview_url\`, until \`preview_expires_at\`. One that is still good is answered at once. ${busy} ${operationNote}`,
  body: Joi.object<{ invalidate?: boolean }>({
    invalidate: Joi.boolean().strict().description('Ask for another address; those given before end'),
  }),
  example: { body: { invalidate: false } },
  handler: (input, deps) => ask(input, deps, 'preview', input.body?.invalidate ? 'renew' : ''),
  outcome,
});
