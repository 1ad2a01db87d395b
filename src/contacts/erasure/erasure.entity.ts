import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant } from '../../platform/database/columns.ts';

/** What is left to erase after the contact is deleted: its addresses, sealed, until the job has searched for them. */
export const ContactErasure = defineEntity({
  name: 'ContactErasure',
  tableName: 'contact_erasures',
  properties: { ...tenant(), erased_id: p.uuid(), addresses: p.text(), ...created() },
});
