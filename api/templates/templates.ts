import Joi from 'joi';
import { exampleIds } from '../../src/platform/examples.ts';
import type { Ask } from '../../src/platform/listing/paging.ts';
import { listTemplates, readTemplate } from '../../src/templates/queries.ts';
import type { TemplateCategory, TemplateChange, TemplateStatus } from '../../src/templates/template.entity.ts';
import { templateLock } from '../../src/templates/told.ts';
import { type Asked, createTemplate, editTemplate, removeTemplate } from '../../src/templates/write.ts';
import { endpoint, type Input, ok, type Reply } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, operationNote } from '../http/schemas.ts';
import { withExample } from '../http/view.ts';
import { reachableChannel } from './channel.ts';
import { templateComponents } from './components.ts';
import { category, draftExample, exampleTemplate, language, name, status, tag, templateView, toTemplateView } from './schemas.ts';

type ListQuery = PageQuery & {
  channel_id?: string;
  status?: TemplateStatus;
  category?: TemplateCategory;
  language?: string;
  search?: string;
};

export const listOfTemplates = endpoint({
  method: 'get',
  path: '/v1/templates',
  operationId: 'templates.list',
  tag,
  scope: 'channels:read',
  summary: 'List message templates, newest first',
  query: Joi.object<ListQuery>({
    ...pageQuery,
    channel_id: id,
    status,
    category,
    language,
    search: Joi.string().trim().max(200).description('Words that are all in the name'),
  }),
  responses: { 200: listOf(templateView) },
  handler({ query, own }, { reads }) {
    const { channel_id: channelId, status, category, language, search } = query;
    const filter = { channelId, status, category, language, search };
    const read = (ask: Ask) =>
      listed('templates', filter, query, (page) => listTemplates(own, ask, filter, page), toTemplateView);
    // All of them, and those of a channel, have an index in the list's order.
    const isIndexed = !(status || category || language || search || query.include_total);
    return isIndexed ? read(reads.plain) : reads.dear(own.organizationId, read);
  },
});

export const getTemplate = endpoint({
  method: 'get',
  path: '/v1/templates/:templateID',
  operationId: 'templates.get',
  tag,
  scope: 'channels:read',
  summary: 'Get one message template',
  subject: 'Template',
  responses: { 200: templateView },
  handler: async ({ params, own }) => ok(toTemplateView(await readTemplate(own, params.templateID))),
});

export const madeReply = ({ template, operationId }: Asked): Reply => ({
  status: 201,
  body: toTemplateView(template),
  operationId,
});

/** What the provider's answer has made of it. */
export const madeOutcome = async ({ own }: Pick<Input<never, never>, 'own'>, _deps: unknown, reply: Reply): Promise<Reply> => {
  const { id: templateId } = reply.body as { id: string };
  return { ...reply, body: toTemplateView(await readTemplate(own, templateId)) };
};

type CreateBody = { channel_id: string; name: string; language: string; category: TemplateCategory; components: unknown[] };

export const createOneTemplate = endpoint({
  method: 'post',
  path: '/v1/templates',
  operationId: 'templates.create',
  tag,
  scope: 'channels:write',
  summary: 'Create a message template and submit it for review',
  description: `It is checked by the provider's rules and stored as a draft; a worker submits it, once. Then it is \`pending\` until the provider has reviewed it; \`template.status_update\` tells each step. Refused by the provider, it is \`rejected\`, and \`failure\` says why: change it, and it is submitted again. ${operationNote}`,
  audit: 'template',
  isIdempotent: true,
  isOperation: true,
  body: Joi.object<CreateBody>({
    channel_id: id.required(),
    name: name.required(),
    language: language.required(),
    category: category.required(),
    components: templateComponents.required(),
  }),
  responses: { 201: withExample(templateView, draftExample) },
  errors: [404],
  example: { body: { channel_id: exampleIds.channel, ...exampleTemplate } },
  async handler({ body: { channel_id, ...template }, own, write }) {
    const { id: channelId } = await reachableChannel(own, channel_id);
    return write({}, async (tx) => madeReply(await createTemplate(tx.own, { channelId, ...template })));
  },
  outcome: madeOutcome,
});

export const patchTemplate = endpoint({
  method: 'patch',
  path: '/v1/templates/:templateID',
  operationId: 'templates.update',
  tag,
  scope: 'channels:write',
  summary: 'Edit a message template',
  description: `\`components\` are all its components from now on. The provider takes edits of approved, rejected and paused templates, of an approved one once in 24 hours and ten times in 30 days, and not of its category; it reviews them as it does a new template. Until it has taken the edit, \`change\` holds it and the old content stays. A template that the provider does not have, a refused draft, is submitted again. ${operationNote}`,
  subject: 'Template',
  audit: 'template',
  isOperation: true,
  body: Joi.object<TemplateChange>({ category, components: templateComponents }).min(1),
  responses: { 200: templateView },
  errors: [409],
  example: { body: { components: exampleTemplate.components } },
  async handler({ params, body, own, write }) {
    const templateId = params.templateID;
    await reachableChannel(own, (await readTemplate(own, templateId)).channel_id);
    return write({ locks: [templateLock(templateId)] }, async (tx) => {
      const { template, operationId } = await editTemplate(tx.own, templateId, body);
      return { ...ok(toTemplateView(template)), operationId };
    });
  },
  outcome: async ({ params, own }) => ok(toTemplateView(await readTemplate(own, params.templateID))),
});

export const deleteOneTemplate = endpoint({
  method: 'delete',
  path: '/v1/templates/:templateID',
  operationId: 'templates.delete',
  tag,
  scope: 'channels:write',
  summary: 'Delete a message template, in its language, at the provider too',
  description: `It can be sent no more at once, and is not shown any more; a worker deletes it at the provider. If the provider refuses, it is shown again with the reason in \`failure\`. ${operationNote}`,
  subject: 'Template',
  audit: 'template',
  isOperation: true,
  responses: { 204: null },
  errors: [409],
  async handler({ params, own, write }) {
    const templateId = params.templateID;
    const template = await readTemplate(own, templateId);
    if (template.provider_template_id) await reachableChannel(own, template.channel_id);
    return write({ locks: [templateLock(templateId)] }, async (tx) => ({
      status: 204,
      operationId: await removeTemplate(tx.own, templateId),
    }));
  },
  outcome: async () => ({ status: 204 }),
});
