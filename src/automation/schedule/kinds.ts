import { contactFields, contactTable } from '../../contacts/list.ts';
import { dealTable } from '../../deals/list.ts';
import { conversationFields, usualOrder } from '../../messaging/inbox/list.ts';
import type { Own } from '../../platform/database/own.ts';
import { invalidField } from '../../platform/errors.ts';
import type { ListedTable } from '../../platform/listing/table.ts';
import { recordsOf } from '../../records/list.ts';
import { knownType } from '../../records/types/known-type.ts';
import { taskTable } from '../../tasks/list.ts';
import type { SubjectType } from '../definition/definition.ts';

/** Whose list a rule reads. `order`: one that the list has, where it is not the newest first. `contact`: SQL of the person behind a row `k`. */
export type Kind = { subjectType: SubjectType; table: Omit<ListedTable, 'columns'>; contact: string; order?: string };
export type Subject = { subjectType: SubjectType; subjectId: string; contactId: string | null };

/** SQL: as conditions/subject.ts says it of one row. */
const builtIn: Record<string, Kind> = {
  contact: { subjectType: 'contact', table: { ...contactTable, fields: contactFields }, contact: 'k.id' },
  conversation: {
    subjectType: 'conversation',
    table: { name: 'conversations', fields: conversationFields },
    contact: 'k.contact_id',
    order: usualOrder,
  },
  deal: {
    subjectType: 'deal',
    table: dealTable,
    contact: `(
      select d.contact_id
        from deal_contacts d
       where d.organization_id = k.organization_id and d.deal_id = k.id and d.is_primary)`,
  },
  task: {
    subjectType: 'task',
    table: taskTable,
    contact: `(
      select t.contact_id
        from task_targets t
       where t.organization_id = k.organization_id and t.task_id = k.id and t.contact_id is not null
       order by t.id
       limit 1)`,
  },
};

/** Throws 422 for a kind of records that is not there any more. */
export async function kindOf(own: Own, name: string): Promise<Kind> {
  if (Object.hasOwn(builtIn, name)) return builtIn[name]!;
  const type = await knownType(own, name);
  if (!type) throw invalidField('kind', `There is no kind ${name}`, 'kind.unknown');
  return { subjectType: 'record', table: recordsOf(type), contact: 'null::uuid' };
}
