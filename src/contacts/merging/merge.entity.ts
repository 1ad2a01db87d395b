import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant } from '../../platform/database/columns.ts';

export const duplicateReasons = ['same_person', 'number_changed', 'user_id_changed'] as const;
/** Why two contacts are taken for one person: what a message of the provider said. */
export type DuplicateReason = (typeof duplicateReasons)[number];

/** A contact that became part of another: its id answers 404 and names the survivor, `contact_id`. */
export const ContactMerge = defineEntity({
  name: 'ContactMerge',
  tableName: 'contact_merges',
  properties: {
    organization_id: p.uuid().primary(),
    merged_id: p.uuid().primary(),
    contact_id: p.uuid(),
    actor: p.text(),
    /** Conversations that ended with the merge. Events about them still contain personal data. */
    gone_conversations: p.array<string>().columnType('uuid[]').default([]),
    ...created(),
  },
});

/** Two contacts that somebody should look at; `contact_id` is the lesser id. */
export const ContactDuplicate = defineEntity({
  name: 'ContactDuplicate',
  tableName: 'contact_duplicates',
  properties: { ...tenant(), contact_id: p.uuid(), other_id: p.uuid(), reason: p.text().$type<DuplicateReason>(), ...created() },
});
