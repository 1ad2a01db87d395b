import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant } from '../../platform/database/columns.ts';

export const duplicateReasons = ['same_person', 'same_phone', 'number_changed', 'user_id_changed'] as const;
/** Why the two may be one person: what a provider's message said, or one phone in two forms. */
export type DuplicateReason = (typeof duplicateReasons)[number];

/** The merged id answers 404 and names the survivor, `contact_id`. */
export const ContactMerge = defineEntity({
  name: 'ContactMerge',
  tableName: 'contact_merges',
  properties: {
    organization_id: p.uuid().primary(),
    merged_id: p.uuid().primary(),
    contact_id: p.uuid(),
    actor: p.text(),
    /** Ended by the merge. Their events still contain personal data. */
    gone_conversations: p.array<string>().columnType('uuid[]').default([]),
    ...created(),
  },
});

/** `contact_id` is the smaller id. */
export const ContactDuplicate = defineEntity({
  name: 'ContactDuplicate',
  tableName: 'contact_duplicates',
  properties: { ...tenant(), contact_id: p.uuid(), other_id: p.uuid(), reason: p.text().$type<DuplicateReason>(), ...created() },
});
