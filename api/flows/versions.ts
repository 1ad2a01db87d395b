import Joi from 'joi';
import { versionReasons } from '../../src/flows/flow.entity.ts';
import { assertFlow, flowLock } from '../../src/flows/flow-row.ts';
import { maxVersions } from '../../src/flows/keep-version.ts';
import { getVersion, listVersions, restoreVersion, type VersionSummary } from '../../src/flows/versions.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { extended, view } from '../http/view.ts';
import * as part from './schemas.ts';

const versionView = view(
  'flow_version',
  Joi.object({
    id: id.required(),
    flow_id: id.required(),
    number: Joi.number().integer().required().description('From 1; the highest is the present document'),
    why: Joi.string()
      .valid(...versionReasons)
      .required()
      .description('What made it; import and sync: the provider'),
    actor: Joi.string().allow('').required().description('`user:<id>` or `key:<id>`; empty: the provider'),
    builder_version: Joi.number().integer().required(),
    json_version: Joi.string().required(),
    data_api_version: Joi.string().allow('').required(),
    sha256: Joi.string().required().description('Of the document in canonical form: equal documents have the same'),
    created_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('version'),
    flow_id: exampleIdOf('flow'),
    number: 1,
    why: 'create',
    actor: `key:${exampleIds.apiKey}`,
    builder_version: 1,
    json_version: '7.2',
    data_api_version: '',
    sha256: 'a3f5c0de9b1f4d2e8c7b6a5948372615043f2e1d0c9b8a7968574635241302f1',
    created_at: exampleTime,
  },
);
const { builder_json, flow_json } = part.flowView.example as Record<string, unknown>;
const wholeView = extended(
  versionView,
  { builder_json: part.builderJson.required(), flow_json: part.flowJson.required() },
  { builder_json, flow_json },
);

const toVersionView = (row: VersionSummary) => ({
  id: row.id,
  flow_id: row.flow_id,
  number: row.number,
  why: row.why,
  actor: row.actor,
  builder_version: row.builder_version,
  json_version: row.json_version,
  data_api_version: row.data_api_version,
  sha256: row.sha256,
  created_at: iso(row.created_at),
});

export const listOfVersions = endpoint({
  ...part.aboutFlow,
  method: 'get',
  path: '/v1/flows/:flowID/versions',
  operationId: 'flows.versions.list',
  scope: 'flows:read',
  summary: 'List the versions of a flow, newest first',
  description: `Each change of the document is one. The last ${maxVersions} are kept, and the one that the provider has. Of large ones fewer: the oldest go where all those of the organization have more bytes than the installation keeps.`,
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(versionView) },
  async handler({ params: { flowID: flowId }, query, own }) {
    await assertFlow(own, flowId);
    return listed('flows.versions', { flowId }, query, (page) => listVersions(own, { flowId }, page), toVersionView);
  },
});

export const getOneVersion = endpoint({
  ...part.aboutFlow,
  method: 'get',
  path: '/v1/flows/:flowID/versions/:versionID',
  operationId: 'flows.versions.get',
  scope: 'flows:read',
  summary: 'Get one version of a flow with its documents',
  subject: 'Flow version',
  responses: { 200: wholeView },
  async handler({ params, own }) {
    await assertFlow(own, params.flowID);
    const row = await getVersion(own, params.flowID, params.versionID);
    return {
      status: 200,
      body: { ...toVersionView(row), builder_json: row.builder_json },
      texts: { flow_json: row.flow_json! },
    };
  },
});

export const restoreOneVersion = endpoint({
  ...part.aboutFlow,
  method: 'post',
  path: '/v1/flows/:flowID/versions/:versionID/restore',
  operationId: 'flows.versions.restore',
  scope: 'flows:write',
  summary: 'Make the document of a version the present one',
  description:
    'It becomes a version of its own; nothing is lost. Asked again it changes nothing. The provider hears of it at the next push.',
  subject: 'Flow version',
  audit: 'flow',
  body: Joi.object<{ revision?: number }>({ revision: part.revision }),
  responses: { 200: part.flowView },
  errors: [409],
  example: { body: { revision: 2 } },
  handler: ({ params, body, caller, write }, { config, secrets }) =>
    write({ locks: [flowLock(params.flowID)] }, async ({ own }) => {
      const asked = { flowId: params.flowID, id: params.versionID, actor: actorOf(caller), revision: body.revision };
      return {
        ...part.flowReply(await restoreVersion(own, asked, config), secrets),
        audit: { details: { version: params.versionID } },
      };
    }),
});
