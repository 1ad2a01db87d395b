import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant } from '../../platform/database/columns.ts';

/** The encrypted addresses of a deleted contact, until the job has removed them from other records. */
export const ContactErasure = defineEntity({
  name: 'ContactErasure',
  tableName: 'contact_erasures',
  properties: { ...tenant(), erased_id: p.uuid(), addresses: p.text(), ...created() },
});
