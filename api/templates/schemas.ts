import Joi from 'joi';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { parameterFormatOf } from '../../src/templates/components.ts';
import type { TemplateRow } from '../../src/templates/queries.ts';
import { templateCategories, templateStatuses } from '../../src/templates/template.entity.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'Templates';

export const category = Joi.string().valid(...templateCategories);
export const status = Joi.string().valid(...templateStatuses);
export const name = Joi.string()
  .trim()
  .max(512)
  .pattern(/^[a-z0-9_]+$/, 'lowercase letters, digits and underscores');
export const language = Joi.string()
  .trim()
  .max(15)
  .pattern(/^[a-z]{2,3}(_[A-Za-z]{2,8})?$/, 'a language such as en or en_US');

const exampleComponents = [
  { type: 'BODY', text: 'Hi {{1}}, your order {{2}} is on its way.', example: { body_text: [['Ada', 'A-1001']] } },
  { type: 'FOOTER', text: 'Kanal' },
];

const anyComponents = Joi.array().items(Joi.object().unknown());

export const templateView = view(
  'template',
  Joi.object({
    id: id.required(),
    channel_id: id.required(),
    provider_template_id: Joi.string().allow('').required().description('Empty until the provider has taken it'),
    name: Joi.string().required(),
    language: Joi.string().required(),
    category: Joi.string().allow('').required().description('marketing, utility or authentication; more may come'),
    previous_category: Joi.string().allow('').required().description('Before the provider changed it'),
    status: status.required().description('draft: the provider does not have it yet; only an approved one can be sent'),
    reason: Joi.string().allow('').required().description("Why it has its status, in the provider's words"),
    quality: Joi.string().allow('').required().description('green, yellow or red; empty when the provider told none'),
    parameter_format: Joi.string().valid('positional', 'named').required(),
    components: anyComponents.required().description("In the provider's form"),
    doing: Joi.string()
      .valid('submit', 'edit')
      .allow(null)
      .required()
      .description('What the provider is being asked for; null: nothing'),
    change: Joi.object({ category, components: anyComponents })
      .allow(null)
      .required()
      .description('An edit that the provider has not taken, or has refused'),
    failure: Joi.object({
      code: Joi.string().required(),
      provider_code: Joi.string().allow(null).required(),
      message: Joi.string().required(),
    })
      .allow(null)
      .required()
      .description('Why the last work failed, in the words of the provider'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIds.template,
    channel_id: exampleIds.channel,
    provider_template_id: '1689556908129832',
    name: 'order_shipped',
    language: 'en_US',
    category: 'utility',
    previous_category: '',
    status: 'approved',
    reason: '',
    quality: 'green',
    parameter_format: 'positional',
    components: exampleComponents,
    doing: null,
    change: null,
    failure: null,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

/** As it is when it was just made. */
export const draftExample = { provider_template_id: '', status: 'draft', quality: '', doing: 'submit' };

export const exampleTemplate = { name: 'order_shipped', language: 'en_US', category: 'utility', components: exampleComponents };

export const toTemplateView = (row: TemplateRow) => ({
  id: row.id,
  channel_id: row.channel_id,
  provider_template_id: row.provider_template_id ?? '',
  name: row.name,
  language: row.language,
  category: row.category.toLowerCase(),
  previous_category: row.previous_category,
  status: row.status,
  reason: row.reason,
  quality: row.quality,
  parameter_format: parameterFormatOf(row),
  components: row.components,
  doing: row.doing,
  change: row.change,
  failure: row.failure && {
    code: row.failure.code,
    provider_code: row.failure.provider_code ?? null,
    message: row.failure.message,
  },
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
