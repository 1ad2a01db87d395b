import { defineEntity, p } from '@mikro-orm/core';
import { nowDate } from '../platform/time/clock.ts';

export type TemplateStatus = 'draft' | 'pending' | 'approved' | 'rejected' | 'paused' | 'disabled';

export const Template = defineEntity({
  name: 'Template',
  tableName: 'templates',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    channelId: p.uuid(),
    providerTemplateId: p.string(),
    name: p.string(),
    language: p.string(),
    category: p.string(),
    status: p.string().$type<TemplateStatus>(),
    components: p.json().$type<unknown[]>(),
    createdAt: p.datetime().onCreate(nowDate),
    updatedAt: p.datetime().onCreate(nowDate),
  },
});
