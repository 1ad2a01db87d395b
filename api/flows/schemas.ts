import Joi from 'joi';
import { shownDataExchange } from '../../src/flows/data-exchange.ts';
import { type BuilderJson, builderSchema } from '../../src/flows/document/builder.ts';
import { jsonVersions } from '../../src/flows/document/limits.ts';
import { flowCategories, flowStatuses, flowWorks } from '../../src/flows/flow.entity.ts';
import type { FlowRow, FlowSummary } from '../../src/flows/flow-row.ts';
import { defaultJsonVersion } from '../../src/flows/given-document.ts';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import type { Secrets } from '../../src/platform/secrets.ts';
import type { Reply } from '../http/endpoint.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { extended, view } from '../http/view.ts';

export const tag = 'Flows';
export const aboutFlow = { tag, subject: 'Flow' };

export const name = Joi.string().trim().min(1).max(200).description('In its account no other flow has it, whatever its case');
export const category = Joi.string().valid(...flowCategories);
export const jsonVersion = Joi.string()
  .valid(...jsonVersions)
  .description(
    `The version of the provider's document; without it \`${defaultJsonVersion}\`. In mode json the document says its own`,
  );
export const builderJson = builderSchema.description('What an editor shows; mode `json` has no screens');
export const flowJson = Joi.object()
  .unknown()
  .max(1_000)
  .description("The provider's document, in mode json alone: in mode visual it is made of the screens");
export const revision = Joi.number().strict().integer().min(1).description('The revision that you have read');

const place = Joi.number().integer().allow(null).required();
const fault = Joi.object({
  source: Joi.string().valid('kanal', 'provider').required(),
  severity: Joi.string().valid('error', 'warning').required().description('An error keeps the flow from being pushed'),
  error: Joi.string().allow('').required(),
  error_type: Joi.string().allow('').required(),
  message: Joi.string().allow('').required(),
  path: Joi.string().allow('').required().description('Where in builder_json or flow_json'),
  line_start: place,
  line_end: place,
  column_start: place,
  column_end: place,
});
export const validationErrors = Joi.array()
  .items(fault)
  .required()
  .description('What is wrong with the document, by our rules and in the words of the provider');

const exampleBuilder: BuilderJson = {
  mode: 'visual',
  flow: {
    id: 'booking',
    name: 'Booking',
    screens: [
      {
        id: 'BOOKING',
        title: 'Book a table',
        components: [
          { id: 'name', type: 'text_input', label: 'Your name', required: true },
          { id: 'day', type: 'date', label: 'Day' },
        ],
        actions: [{ label: 'Book', type: 'complete' }],
      },
    ],
  },
};
export const exampleFlow = { name: 'Booking', category: 'appointment_booking', builder_json: exampleBuilder };
export const exampleFlowJson = {
  version: defaultJsonVersion,
  screens: [
    {
      id: 'BOOKING',
      title: 'Book a table',
      data: {},
      terminal: true,
      success: true,
      layout: {
        type: 'SingleColumnLayout',
        children: [
          { type: 'TextInput', name: 'name', label: 'Your name', 'input-type': 'text', required: true },
          { type: 'DatePicker', name: 'day', label: 'Day' },
          {
            type: 'Footer',
            label: 'Book',
            // biome-ignore lint/suspicious/noTemplateCurlyInString: the provider's own form of a reference
            'on-click-action': { name: 'complete', payload: { name: '${form.name}', day: '${form.day}' } },
          },
        ],
      },
    },
  ],
};

/** A flow without its documents, as lists show it. */
export const flowSummaryView = view(
  'flow_summary',
  Joi.object({
    id: id.required(),
    name: Joi.string().required(),
    category: category.required().description('The first of `categories`'),
    categories: Joi.array().items(Joi.string()).required().description('The provider may give a flow several'),
    status: Joi.string()
      .valid(...flowStatuses)
      .required()
      .description('Only a published flow is sent to everybody; the provider blocks and throttles'),
    builder_version: Joi.number().integer().required().description('The format of `builder_json`'),
    data_api_version: Joi.string().allow('').required().description('Empty: it asks no endpoint'),
    json_version: Joi.string().required(),
    has_local_changes: Joi.boolean().required().description('The provider does not have what stands here'),
    validation_errors: validationErrors,
    channel_id: id.description('Left out while it has none'),
    provider_flow_id: Joi.string().description('Left out until the provider has it'),
    preview_url: Joi.string(),
    preview_expires_at: timestamp.allow(null).required(),
    revision: Joi.number().integer().required().description('Raised by each change; name it in a change to refuse a stale one'),
    version: Joi.number().integer().required().description('The number of the version that the present document is'),
    provider_version: Joi.number().integer().allow(null).required().description('Of the version that the provider has'),
    drift: Joi.object({ detected_at: timestamp.required(), provider_sha256: Joi.string().required() })
      .allow(null)
      .required()
      .description('Both sides changed since the last exchange, and nobody has decided which one holds'),
    data_exchange: Joi.object({
      url: Joi.string().required(),
      header_names: Joi.array().items(Joi.string()).required().description('Their values are not shown'),
    })
      .allow(null)
      .required()
      .description("Where the requests of the flow's endpoint go"),
    doing: Joi.string()
      .valid(...flowWorks)
      .allow(null)
      .required()
      .description('What the provider is being asked for; null: nothing'),
    failure: Joi.object({
      code: Joi.string().required(),
      provider_code: Joi.string().allow(null),
      message: Joi.string().required(),
    })
      .allow(null)
      .required()
      .description('Why the last work at the provider failed'),
    published_at: timestamp.allow(null).required(),
    synced_at: timestamp.allow(null).required().description('The last exchange with the provider'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('flow'),
    name: exampleFlow.name,
    category: exampleFlow.category,
    categories: [exampleFlow.category],
    status: 'draft',
    builder_version: 1,
    data_api_version: '',
    json_version: defaultJsonVersion,
    has_local_changes: true,
    validation_errors: [],
    channel_id: exampleIds.channel,
    preview_expires_at: null,
    revision: 1,
    version: 1,
    provider_version: null,
    drift: null,
    data_exchange: null,
    doing: null,
    failure: null,
    published_at: null,
    synced_at: null,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const whole = extended(
  flowSummaryView,
  { builder_json: builderJson.required(), flow_json: flowJson.required() },
  { builder_json: exampleBuilder, flow_json: exampleFlowJson },
);
export const flowView = view('flow', whole.schema, whole.example);

const orNull = (time: string | null) => time && iso(time);

export const toSummaryView = (row: FlowSummary, secrets: Secrets) => ({
  id: row.id,
  name: row.name,
  category: row.category,
  categories: row.categories,
  status: row.status,
  builder_version: row.builder_version,
  data_api_version: row.data_api_version,
  json_version: row.json_version,
  has_local_changes: row.has_local_changes,
  validation_errors: [...row.faults, ...row.provider_faults],
  ...(row.channel_id && { channel_id: row.channel_id }),
  ...(row.provider_flow_id && { provider_flow_id: row.provider_flow_id }),
  ...(row.preview_url && { preview_url: row.preview_url }),
  preview_expires_at: orNull(row.preview_expires_at),
  revision: row.revision,
  version: row.version,
  provider_version: row.provider_version,
  drift: row.drift,
  data_exchange: shownDataExchange(row, secrets),
  doing: row.doing,
  failure: row.failure,
  published_at: orNull(row.published_at),
  synced_at: orNull(row.synced_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** A reply that is a whole flow. Its document travels as the text it is stored as. */
export const flowReply = (row: FlowRow, secrets: Secrets, status = 200): Reply => ({
  status,
  body: { ...toSummaryView(row, secrets), builder_json: row.builder_json },
  texts: { flow_json: row.flow_json },
});
