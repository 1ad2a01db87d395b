import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times } from '../platform/database/columns.ts';

export const templateStatuses = ['draft', 'pending', 'approved', 'rejected', 'paused', 'disabled'] as const;
export type TemplateStatus = (typeof templateStatuses)[number];

export const Template = defineEntity({
  name: 'Template',
  tableName: 'templates',
  properties: {
    ...tenant(),
    channel_id: p.uuid(),
    provider_template_id: p.text(),
    name: p.text(),
    language: p.text(),
    category: p.text(),
    status: p.enum(templateStatuses),
    components: p.json<unknown[]>(),
    ...times(),
  },
});
