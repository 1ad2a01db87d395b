import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant } from '../platform/database/columns.ts';

export const Tag = defineEntity({
  name: 'Tag',
  tableName: 'tags',
  properties: { ...tenant(), name: p.text(), ...created() },
});

export const ContactTag = defineEntity({
  name: 'ContactTag',
  tableName: 'contact_tags',
  properties: {
    organization_id: p.uuid().primary(),
    contact_id: p.uuid().primary(),
    tag_id: p.uuid().primary(),
    ...created(),
  },
});
