import Joi from 'joi';
import type { BuilderJson } from '../../src/flows/document/builder.ts';
import { getFlow } from '../../src/flows/flow-row.ts';
import { compiledFlow } from '../../src/flows/given-document.ts';
import { faultsOf } from '../../src/flows/inspect.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { view } from '../http/view.ts';
import * as part from './schemas.ts';

const compiledView = view(Joi.object({ flow_json: part.flowJson.required(), validation_errors: part.validationErrors }), {
  flow_json: part.exampleFlowJson,
  validation_errors: [],
});

export const compileBuilder = endpoint({
  tag: part.tag,
  method: 'post',
  path: '/v1/flows/compile',
  operationId: 'flows.compile',
  scope: 'flows:read',
  summary: "Compile screens to the provider's document, and check it",
  description: 'Stores nothing: for an editor that shows what becomes of the screens.',
  body: Joi.object<{ builder_json: BuilderJson; json_version?: string }>({
    builder_json: part.builderJson.required(),
    json_version: part.jsonVersion,
  }),
  responses: { 200: compiledView },
  example: { body: { builder_json: part.exampleFlow.builder_json } },
  async handler({ body }) {
    const { flow_json, faults } = await compiledFlow(body.builder_json, body.json_version);
    return { ...ok({ validation_errors: faults }), texts: { flow_json } };
  },
});

export const validateFlow = endpoint({
  ...part.aboutFlow,
  method: 'post',
  path: '/v1/flows/:flowID/validate',
  operationId: 'flows.validate',
  scope: 'flows:read',
  summary: 'Check the document of a flow again',
  description: 'Stores nothing, and does not ask the provider: its own faults are those of the last push.',
  responses: { 200: view(Joi.object({ validation_errors: part.validationErrors }), { validation_errors: [] }) },
  async handler({ params, own }) {
    const { builder_json, flow_json, json_version: jsonVersion, provider_faults } = await getFlow(own, params.flowID);
    const builder = builder_json.mode === 'visual' ? builder_json : undefined;
    const faults = await faultsOf(JSON.parse(flow_json), { builder, jsonVersion });
    return ok({ validation_errors: [...faults, ...provider_faults] });
  },
});
