import type { InferEntity } from '@mikro-orm/core';
import Joi from 'joi';
import type { Where } from '../platform/database/own.ts';
import { AppError } from '../platform/errors.ts';
import { uuid } from '../platform/ids.ts';
import { backoff, type JobContract, job } from '../platform/ledger/job.ts';
import type { TenantTx } from '../platform/ledger/tx.ts';
import { Template } from './template.entity.ts';
import { tellChange } from './told.ts';

export const syncTemplatesJob = job<{ channel_id: string }>({
  name: 'templates.sync',
  queue: 'default',
  payload: Joi.object({ channel_id: uuid }),
  subjectType: 'channel',
  subject: 'channel_id',
  delayMs: backoff(6),
  operation: true,
  failed: async () => {},
  revived: async () => {},
});

type Doing = 'submit' | 'edit' | 'delete';

const revivedAs: Record<Doing, { where: Where<InferEntity<typeof Template>>; change: { status?: 'draft' } }> = {
  submit: { where: { provider_template_id: null }, change: { status: 'draft' } },
  edit: { where: { change: { $ne: null } }, change: {} },
  delete: { where: {}, change: {} },
};

/** What is to be done stands in the row, so that a job that comes too late finds nothing to do. SQL: `openSubjects` are a set. */
const templateJob = (doing: Doing): JobContract<{ template_id: string }> =>
  job<{ template_id: string }>({
    name: `templates.${doing}`,
    queue: 'default',
    payload: Joi.object({ template_id: uuid }),
    subjectType: 'template',
    subject: 'template_id',
    delayMs: backoff(6),
    operation: true,
    async failed({ own }: TenantTx, { template_id: id }, { code, message, provider_code = null }) {
      const template = await own.findOne(Template, { id, doing });
      if (!template) return;
      template.doing = null;
      template.failure = { code, message, provider_code };
      tellChange(own, template, template.status === 'rejected' && doing === 'submit' ? ['status', 'failure'] : ['failure']);
    },
    async revived({ own }, { template_id: id }) {
      const { where, change } = revivedAs[doing];
      const revived = await own.update(
        Template,
        { id, doing: null, failure: { $ne: null }, ...where },
        {
          doing,
          failure: null,
          ...change,
        },
      );
      if (revived === 0) throw new AppError('conflict', 'The template was changed or deleted since');
    },
    openSubjects: `
      select organization_id, id
        from templates
       where doing = '${doing}'`,
  });

export const submitTemplateJob = templateJob('submit');
export const editTemplateJob = templateJob('edit');
export const deleteTemplateJob = templateJob('delete');

export const syncLane = (channelId: string) => `templates-sync:${channelId}`;
