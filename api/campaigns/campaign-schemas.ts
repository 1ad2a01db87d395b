import Joi from 'joi';
import { type Guards, type Pace, purposes, type Schedule, type Variant } from '../../src/campaigns/campaign.entity.ts';
import { maxChannels } from '../../src/campaigns/checks/channels.ts';
import { maxName } from '../../src/campaigns/create.ts';
import { guardDefaults } from '../../src/campaigns/guard-defaults.ts';
import { sentComponents } from '../../src/messaging/content/text.ts';
import { exampleIdOf, exampleIds } from '../../src/platform/examples.ts';
import { wallTime, weekdays } from '../../src/platform/time/wall-time.ts';
import { id, timeZone } from '../http/schemas.ts';
import { audience } from './audience-schema.ts';

export const tag = 'Campaigns';
export const aboutCampaign = { tag, subject: 'Campaign', audit: 'campaign' };
export const path = '/v1/campaigns';
export const onePath = `${path}/:campaignID` as const;

const maxVariants = 5;
const maxLanguages = 20;

export const variant = Joi.object<Variant>({
  id: Joi.string().trim().min(1).max(40).required().description('Unique in the campaign, such as `a`'),
  weight: Joi.number().integer().min(0).max(1_000).default(1).description('Its share of the recipients'),
  templates: Joi.array()
    .items(
      Joi.object({
        name: Joi.string().trim().min(1).max(512).required(),
        language: Joi.string()
          .trim()
          .min(2)
          .max(15)
          .required()
          .description('Once for each variant. The first is for all other languages'),
        components: sentComponents.default([]),
      }),
    )
    .min(1)
    .max(maxLanguages)
    .required()
    .description(
      'One for each language. In the texts of `components`, values stand as in `{{ contact.name }}`, `{{ contact.custom_fields.tier }}`, `{{ recipient.code }}` (a column `param.code` of a file), `{{ campaign.name }}`',
    ),
});

const dailyTime = Joi.string().max(5).pattern(wallTime, 'a time as HH:MM');

export const schedule = Joi.object<Schedule>({
  start_at: Joi.string()
    .max(40)
    .description('ISO 8601 with its offset, at most a year ahead. With `is_local` without one. Left out: when it is started'),
  end_at: Joi.string()
    .max(40)
    .allow(null)
    .description('Nobody is written to from then on: who waits is skipped, as `expired`. As `start_at`'),
  timezone: timeZone.description("That of contacts without one. Left out: the organization's"),
  is_local: Joi.boolean().strict().description("`start_at` and `end_at` are times of each recipient's own zone"),
  quiet_hours: Joi.object({ from: dailyTime.required(), to: dailyTime.required() })
    .allow(null)
    .description("Nobody is written to in these hours of their zone. Left out: the organization's; null: none"),
  days: Joi.array()
    .items(Joi.string().valid(...weekdays))
    .min(1)
    .max(weekdays.length)
    .unique()
    .allow(null)
    .description('Only on these days of their zone'),
});

export const pace = Joi.object<Pace>({
  per_minute: Joi.number().integer().min(1).max(100_000).description('Left out: as fast as the channels'),
}).description('Over all channels together');

export const guards = Joi.object<Guards>({
  max_failed_percent: Joi.number()
    .integer()
    .min(1)
    .max(100)
    .description(`It pauses when more of the last 500 failed. Default: ${guardDefaults.max_failed_percent}`),
  retry_capped: Joi.boolean()
    .strict()
    .description('Write once more, after 24 hours, to whom the provider says that they were written to enough. Default: false'),
  start_grace_minutes: Joi.number()
    .integer()
    .min(1)
    .max(1_440)
    .description(`Found later than that after its start it pauses and asks. Default: ${guardDefaults.start_grace_minutes}`),
});

/** One line: it is shown in lists and files. */
export const name = Joi.string()
  .trim()
  .min(1)
  .max(maxName)
  .pattern(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u)
  .messages({ 'string.pattern.base': '{{#label}} must be one line without control characters' });

export const contentFields = {
  purpose: Joi.string()
    .valid(...purposes)
    .description('`service`: contacts need not have consented, if the templates are of the category utility'),
  channel_ids: Joi.array()
    .items(id)
    .max(maxChannels)
    .unique()
    .description('Who has a conversation on one of them is written to there, the newest first; others are spread over them'),
  variants: Joi.array().items(variant).max(maxVariants).description('Each recipient gets one of them, always the same'),
  audience,
  schedule,
  pace,
  guards,
};

export const exampleContent = {
  purpose: 'marketing',
  channel_ids: [exampleIds.channel],
  variants: [
    {
      id: 'a',
      weight: 1,
      templates: [
        {
          name: 'hello',
          language: 'en_US',
          components: [{ type: 'body', parameters: [{ type: 'text', text: '{{ contact.name | default: "you" }}' }] }],
        },
      ],
    },
  ],
  audience: { tags: ['vip'], contact_ids: [exampleIds.contact] },
  schedule: { start_at: '2026-12-01T09:00:00+07:00', timezone: 'Asia/Jakarta', days: ['monday', 'tuesday'] },
  pace: { per_minute: 600 },
  guards: { max_failed_percent: 10, retry_capped: false, start_grace_minutes: 30 },
};

export const exampleName = 'Winter sale';
export const exampleCampaignId = exampleIdOf('campaign');
