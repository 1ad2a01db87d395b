import { type BuiltInKind, isBuiltIn } from './types/names.ts';

/** SQL: what people call an object, from its row. Each is a scalar expression of the table called by `alias`. */
export const contactName = (alias: string) => `
  coalesce(
    nullif(${alias}.name, ''),
    nullif(${alias}.phone_number, ''),
    (select i.value
       from contact_identities i
      where i.organization_id = ${alias}.organization_id and i.contact_id = ${alias}.id
      order by i.type = 'messaging_app_id' desc, i.type, i.value
      limit 1),
    '')`;

/** The contact, else what the provider told of the person; and the channel. */
export const conversationName = (alias: string) => `
  concat_ws(', ',
    nullif(coalesce(
      (select ${contactName('c')}
         from contacts c
        where c.organization_id = ${alias}.organization_id and c.id = ${alias}.contact_id),
      ${alias}.profile_name), ''),
    (select coalesce(nullif(h.name, ''), h.display_phone)
       from channels h
      where h.organization_id = ${alias}.organization_id and h.id = ${alias}.channel_id))`;

const title = (alias: string) => `${alias}.title`;
const recordName = (alias: string) => `${alias}.display_name`;

/** Where an object of a kind is: its table, the column of `record_links` that refers to it, and whether it has a bin. */
export type ObjectTable = { table: string; linkColumn: string; hasBin: boolean; name(alias: string): string };

export const recordTable: ObjectTable = { table: 'records', linkColumn: 'to_record_id', hasBin: true, name: recordName };

const builtInTables: Record<BuiltInKind, ObjectTable> = {
  contact: { table: 'contacts', linkColumn: 'contact_id', hasBin: false, name: contactName },
  conversation: { table: 'conversations', linkColumn: 'conversation_id', hasBin: false, name: conversationName },
  deal: { table: 'deals', linkColumn: 'deal_id', hasBin: true, name: title },
  task: { table: 'crm_tasks', linkColumn: 'task_id', hasBin: true, name: title },
};

export const tableOf = (kind: string): ObjectTable => (isBuiltIn(kind) ? builtInTables[kind] : recordTable);
