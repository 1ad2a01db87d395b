import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times, timestamp } from '../platform/database/columns.ts';
import type { JobError } from '../platform/ledger/jobs.entity.ts';

export const templateStatuses = ['draft', 'pending', 'approved', 'rejected', 'paused', 'disabled'] as const;
export type TemplateStatus = (typeof templateStatuses)[number];
export const templateCategories = ['marketing', 'utility', 'authentication'] as const;
export type TemplateCategory = (typeof templateCategories)[number];

export type TemplateChange = { category?: TemplateCategory; components?: unknown[] };

export const Template = defineEntity({
  name: 'Template',
  tableName: 'templates',
  properties: {
    ...tenant(),
    channel_id: p.uuid(),
    /** null: the provider does not have it, as far as we know. */
    provider_template_id: p.text().strictNullable(),
    name: p.text(),
    language: p.text(),
    category: p.text(),
    status: p.enum(templateStatuses),
    /** In the provider's form. Empty: not known, since every template has a body. */
    components: p.json<unknown[]>(),
    /** By our clock: when a list of the provider was asked for that gave them, or when they were written here. null: when it was made. */
    content_at: timestamp().strictNullable(),
    /** The work that a job is to do for it at the provider. */
    doing: p.enum(['submit', 'edit', 'delete']).strictNullable(),
    /** An edit that the provider has not accepted yet. */
    change: p.json<TemplateChange>().strictNullable(),
    /** Since then the provider may have been asked for the present `doing`. */
    submitted_at: timestamp().strictNullable(),
    /** Of the last work. */
    failure: p.json<JobError>().strictNullable(),
    /** Why it has its status, in the provider's words. */
    reason: p.text().default(''),
    quality: p.text().default(''),
    previous_category: p.text().default(''),
    /** Times of the edits that count for the provider's limits. */
    approved_edits: p.json<string[]>().defaultRaw(`'[]'`),
    /** When the status was last written, by our clock, and when the provider told it, by its own. */
    status_at: timestamp().strictNullable(),
    told_at: timestamp().strictNullable(),
    /** When it told the quality, and the category. */
    quality_told_at: timestamp().strictNullable(),
    category_told_at: timestamp().strictNullable(),
    ...times(),
  },
});
