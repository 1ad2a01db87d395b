import type { RowOf } from '../platform/database/tables.ts';
import type { TaskTarget } from './task.entity.ts';

/** `object_kind`: contact, conversation, deal, or the kind of the record's type, such as company. */
export type TargetRow = RowOf<typeof TaskTarget, 'id' | 'object_id' | 'created_by' | 'created_at' | 'updated_at'> & {
  object_kind: string;
};

export const targetKinds = ['contact', 'conversation', 'deal'] as const;

/**
 * SQL: the targets of a task called `k`, as JSON. Records and their types are an upper domain's tables. What is in the bin is left out, and is
 * there again when it is restored.
 */
export const targetsOf = `
  (select coalesce(jsonb_agg(
            jsonb_build_object(
              'id', t.id,
              'object_id', t.object_id,
              'object_kind', case
                when t.contact_id is not null then 'contact'
                when t.conversation_id is not null then 'conversation'
                when t.deal_id is not null then 'deal'
                else o.kind end,
              'created_by', t.created_by,
              'created_at', t.created_at,
              'updated_at', t.updated_at)
            order by t.id), '[]')
     from task_targets t
     left join deals d on d.organization_id = t.organization_id and d.id = t.deal_id
     left join records r on r.organization_id = t.organization_id and r.id = t.record_id
     left join object_types o on o.organization_id = r.organization_id and o.id = r.type_id
    where t.organization_id = k.organization_id
      and t.task_id = k.id
      and d.deleted_at is null
      and r.deleted_at is null
      and o.deleted_at is null)`;
