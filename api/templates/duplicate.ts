import Joi from 'joi';
import { readChannel } from '../../src/channels/queries.ts';
import { AppError } from '../../src/platform/errors.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { asSubmitted } from '../../src/templates/as-submitted.ts';
import { readTemplate } from '../../src/templates/queries.ts';
import type { TemplateCategory } from '../../src/templates/template.entity.ts';
import { createTemplate } from '../../src/templates/write.ts';
import { endpoint } from '../http/endpoint.ts';
import { id, operationNote } from '../http/schemas.ts';
import { withExample } from '../http/view.ts';
import { reachableChannel } from './channel.ts';
import { templateComponents } from './components.ts';
import { category, draftExample, name, tag, templateView } from './schemas.ts';
import { madeOutcome, madeReply } from './templates.ts';

const content = Joi.object<{ category: TemplateCategory; components: unknown[] }, true>({
  category: category.required(),
  components: templateComponents.required(),
});

/** The provider shows more of a template than it takes of a new one. */
function copyOf(template: { category: string; components: unknown[] }) {
  const { value, error } = content.validate(asSubmitted(template), { stripUnknown: true });
  if (error) throw new AppError('conflict', `The provider would not take a copy of this template: ${error.message}`);
  return value;
}

export const duplicateTemplate = endpoint({
  method: 'post',
  path: '/v1/templates/:templateID/duplicate',
  operationId: 'templates.duplicate',
  tag,
  scope: 'channels:write',
  summary: 'Duplicate a message template to another channel',
  description: `Submitted there as a new template, in the same language. The channels of one account share their templates: there a copy needs another \`name\`. The sample file of a header belongs to the account it was uploaded for, so that the provider may refuse a copy with one. ${operationNote}`,
  subject: 'Template',
  audit: 'template',
  isIdempotent: true,
  isOperation: true,
  body: Joi.object<{ channel_id: string; name?: string }>({
    channel_id: id.required().description('The channel that gets the copy'),
    name: name.description('Default: the name of the template'),
  }),
  responses: { 201: withExample(templateView, draftExample) },
  errors: [404, 409],
  location: '/v1/templates',
  example: { body: { channel_id: exampleIds.channel, name: 'order_shipped_copy' } },
  async handler({ params, body, own, write }) {
    const template = await readTemplate(own, params.templateID);
    const { id: channelId, account_id } = await reachableChannel(own, body.channel_id);
    const copy = { name: body.name ?? template.name, language: template.language, ...copyOf(template) };
    const from = await readChannel(own, template.channel_id);
    if (copy.name === template.name && account_id === from.account_id)
      throw new AppError('conflict', 'Both channels are of one account, which has this template: give the copy another name');
    return write({}, async (tx) => madeReply(await createTemplate(tx.own, { channelId, ...copy })));
  },
  outcome: madeOutcome,
});
