import { defineEntity, p } from '@mikro-orm/core';
import { created } from '../platform/database/columns.ts';

/** By the names of the API's fields, each as the API shows it. Of links, lists of those that came (`to`) and went (`from`). */
export type HistoryChanges = Record<string, { from: unknown; to: unknown }>;

/** Of links, by the other ends' ids. */
export const linksChange = (from: string | null, to: string | null) => ({
  from: from === null ? [] : [from],
  to: to === null ? [] : [to],
});

export const historyKinds = ['deal', 'task', 'record'] as const;
export type HistoryKind = (typeof historyKinds)[number];

export const CrmHistory = defineEntity({
  name: 'CrmHistory',
  tableName: 'crm_history',
  properties: {
    organization_id: p.uuid().primary(),
    object_id: p.uuid().primary(),
    /** Of the object, after the change. */
    revision: p.integer().primary(),
    object_kind: p.enum(historyKinds),
    /** The event that told of it; null: none did. */
    event_id: p.uuid().strictNullable(),
    /** `user:<id>`, `key:<id>`, `import:<id>` or `system`. */
    actor: p.text(),
    changes: p.json<HistoryChanges>(),
    ...created(),
  },
});
