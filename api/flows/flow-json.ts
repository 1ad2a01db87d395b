import Joi from 'joi';
import type { FlowJson } from '../../src/flows/document/flow-json.ts';
import { flowLock } from '../../src/flows/flow-row.ts';
import { putFlowJson } from '../../src/flows/patch.ts';
import { maxDocumentBytes, readDocument } from '../../src/flows/receive.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { endpoint } from '../http/endpoint.ts';
import { aboutFlow, exampleFlowJson, flowReply, flowView, revision } from './schemas.ts';

export const putOneFlowJson = endpoint({
  ...aboutFlow,
  method: 'put',
  path: '/v1/flows/:flowID/flow-json',
  operationId: 'flows.flow-json.replace',
  scope: 'flows:write',
  summary: 'Replace the document of a flow in mode json',
  description: `The document itself as the body, with the images in it: at most ${maxDocumentBytes / 2 ** 20} MiB and 100,000 values. Beyond that a PATCH is as good. A flow in mode visual has no document of its own: a 422.`,
  audit: 'flow',
  query: Joi.object<{ revision?: number }>({ revision: revision.strict(false) }),
  receive: {
    contentType: 'application/json',
    description: "The provider's document",
    async take({ stream, header }) {
      const { flowJson, hash } = await readDocument(stream, Number(header('content-length') ?? 0));
      return { body: flowJson, hash, discard: async () => undefined };
    },
  },
  responses: { 200: flowView },
  errors: [409, 413],
  example: { body: JSON.stringify(exampleFlowJson) },
  handler: ({ params, query, body, caller, write }, { config, secrets }) =>
    write({ locks: [flowLock(params.flowID)] }, async ({ own }) => {
      const change = { id: params.flowID, actor: actorOf(caller), revision: query.revision };
      return flowReply(await putFlowJson(own, change, body as FlowJson, config), secrets);
    }),
});
