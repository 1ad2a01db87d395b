import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times } from '../platform/database/columns.ts';

export const ContactNote = defineEntity({
  name: 'ContactNote',
  tableName: 'contact_notes',
  properties: { ...tenant(), contact_id: p.uuid(), body: p.text(), author: p.text(), ...times() },
});
