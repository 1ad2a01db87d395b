import { now } from '../platform/database/columns.ts';
import { violatedConstraint } from '../platform/database/errors.ts';
import { AppError, invalidField, notFound } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { now as nowMs } from '../platform/time/clock.ts';
import { assertDefinition } from './definition.ts';
import { deleteTemplateJob, editTemplateJob, submitTemplateJob } from './jobs.ts';
import { Template, type TemplateCategory, type TemplateChange } from './template.entity.ts';
import { type TemplateRecord, tellChange, templateLock } from './told.ts';

export type NewTemplate = {
  channelId: string;
  name: string;
  language: string;
  category: TemplateCategory;
  components: unknown[];
};

export type Asked = { template: TemplateRecord; operationId: string };

/** SQL: a lock on the channel's row, which its deletion takes first too: no template is left behind. */
const heldChannel = `
  select id
    from channels
   where organization_id = $1 and id = $2 and deleted_at is null
     for share`;

/** A draft until the provider has it. Throws 404 for a channel that was deleted meanwhile, 409 for a name that the channel has in this language. */
export async function createTemplate(own: OwnTx, { channelId, ...template }: NewTemplate): Promise<Asked> {
  assertDefinition(template);
  const id = uuidv7();
  await own.lockNew('template', id);
  if ((await own.sql(heldChannel, [channelId])).length === 0) throw notFound('Channel');
  const made = own.create(Template, {
    ...{ id, channel_id: channelId, provider_template_id: null, ...template },
    ...{ status: 'draft', doing: 'submit', change: null, submitted_at: null, failure: null, status_at: null, told_at: null },
    ...{ quality_told_at: null, category_told_at: null, content_at: null },
  });
  await own.flush().catch(refuseKnownName);
  return { template: made, operationId: own.enqueue(submitTemplateJob, { template_id: id }, { lane: templateLock(id) }) };
}

function refuseKnownName(error: unknown): never {
  if (violatedConstraint(error) === 'templates_name')
    throw new AppError('conflict', 'The channel has a template of this name in this language, or is deleting one');
  throw error;
}

/** Needs the template's lock. Throws 404. */
async function templateOf(own: OwnTx, id: string): Promise<TemplateRecord> {
  own.assertLocked(templateLock(id));
  const template = await own.findOne(Template, { id });
  if (!template || template.doing === 'delete') throw notFound('Template');
  return template;
}

/** One that the provider does not have is submitted again; of any other the old content stays until the provider has accepted the new one. */
export async function editTemplate(own: OwnTx, id: string, change: TemplateChange): Promise<Asked> {
  const template = await templateOf(own, id);
  if (template.doing)
    throw new AppError('conflict', 'The provider is being asked about this template: try again once it has answered', {
      retryAfterSeconds: 5,
    });
  const category = (change.category ?? template.category.toLowerCase()) as TemplateCategory;
  if (change.components) assertDefinition({ ...template, category, components: change.components });
  const lane = templateLock(id);
  template.failure = null;
  if (template.provider_template_id) {
    assertEditable(template, change);
    template.change = change;
    template.doing = 'edit';
    template.submitted_at = null;
    await own.flush();
    return { template, operationId: own.enqueue(editTemplateJob, { template_id: id }, { lane }) };
  }
  template.category = category;
  template.components = change.components ?? template.components;
  template.content_at = now();
  template.status = 'draft';
  template.doing = 'submit';
  await own.flush();
  return { template, operationId: own.enqueue(submitTemplateJob, { template_id: id }, { lane }) };
}

const dayMs = 24 * 3_600_000;
export const maxEditsOfMonth = 10;

/** The provider's own rules: an approved template can be edited once a day and ten times in 30 days, the others at any time. */
function assertEditable({ status, category, approved_edits }: TemplateRecord, change: TemplateChange) {
  if (!['approved', 'rejected', 'paused'].includes(status))
    throw new AppError('conflict', `A template that is ${status} cannot be edited: only approved, rejected and paused ones can`);
  if (status !== 'approved') return;
  if (change.category && change.category !== category.toLowerCase())
    throw invalidField('category', 'The category of an approved template cannot be changed');
  const ages = approved_edits.map((at) => nowMs() - Date.parse(at));
  if (ages.some((age) => age < dayMs))
    throw new AppError('limit_reached', 'The provider takes one edit of an approved template in 24 hours');
  if (ages.filter((age) => age < 30 * dayMs).length >= maxEditsOfMonth)
    throw new AppError('limit_reached', `The provider takes ${maxEditsOfMonth} edits of an approved template in 30 days`);
}

/** It is gone for the API at once; its row stays until the provider has deleted it, and is shown again if the provider does not. */
export async function removeTemplate(own: OwnTx, id: string): Promise<string> {
  const template = await templateOf(own, id);
  template.doing = 'delete';
  template.failure = null;
  await own.flush();
  const { category, quality, reason } = template;
  tellChange(own, { id, status: 'disabled', category, quality, reason, failure: null }, ['status']);
  return own.enqueue(deleteTemplateJob, { template_id: id }, { lane: templateLock(id) });
}
