import Joi from 'joi';
import { exampleIdOf, exampleIds as ids } from '../examples.ts';
import { type EventContract, event } from './event.ts';

const id = (description: string) => Joi.string().required().description(description);
const number = (description: string) => Joi.number().integer().required().description(description);

const subject = { type: 'campaign', id: 'campaign_id' as const };
const campaign = {
  campaign_id: id('The campaign'),
  organization_id: id('Its organization'),
  status: id('draft, scheduled, running, paused, completed, cancelled, failed'),
};
const example = { campaign_id: exampleIdOf('campaign'), organization_id: ids.organization };

export const campaignStatusUpdate = event({
  type: 'campaign.status_update',
  description: 'The status of a campaign changed: by somebody, by its schedule, or because it paused by itself',
  subject,
  data: Joi.object({
    ...campaign,
    reason: Joi.string()
      .allow('')
      .required()
      .description(
        'Why it paused by itself or failed: late, template_paused, template_unknown, channel_stopped, spam_limit, too_many_failures, audience_empty, audience_too_large, audience_unknown; empty when it was asked for',
      ),
  }),
  example: { ...example, status: 'paused', reason: 'template_paused' },
});

export const campaignCompleted = event({
  type: 'campaign.completed',
  description: 'Nobody of the campaign waits to be written to any more; what the provider tells later still changes its counts',
  subject,
  data: Joi.object({
    ...campaign,
    counts: Joi.object({
      total: number('Recipients'),
      sent: number('Of those: sent, and no more is known'),
      delivered: number('Of those: delivered, and not read'),
      read: number('Of those: read'),
      failed: number('Of those: failed'),
      skipped: number('Of those: not written to'),
    }).required(),
  }),
  example: {
    ...example,
    status: 'completed',
    counts: { total: 2000, sent: 20, delivered: 900, read: 1000, failed: 30, skipped: 50 },
  },
});

export const campaignRecipientsImported = event({
  type: 'campaign.recipients_imported',
  description: 'An import of recipients of a campaign has ended; contacts that it made have no events of their own',
  subject: { type: 'campaign_import', id: 'import_id' as const },
  data: Joi.object({
    import_id: id('The import'),
    campaign_id: id('The campaign'),
    organization_id: id('Its organization'),
    created: number('Recipients that are new'),
    updated: number('Recipients whose parameters changed'),
    unchanged: number('Rows that changed nothing'),
    failed: number('Rows that were refused'),
  }),
  example: {
    ...example,
    import_id: ids.import,
    created: 990,
    updated: 8,
    unchanged: 0,
    failed: 2,
  },
});

export const campaignEvents = [campaignStatusUpdate, campaignCompleted, campaignRecipientsImported] as unknown as EventContract[];
