import type { Column, Fields } from '../../platform/listing/fields.ts';
import type { BuiltInKind } from '../types/names.ts';
import type { FieldType } from '../types/type.entity.ts';
import { builtInLists } from './lists.ts';

export type BuiltInField = { name: string; label: string; type: FieldType; options?: readonly string[] };
export type BuiltIn = { kind: BuiltInKind; label: string; pluralLabel: string; displayField: string; fields: BuiltInField[] };

const typesOfColumns: Record<Column['type'], FieldType> = {
  id: 'text',
  text: 'text',
  time: 'datetime',
  number: 'number',
  choice: 'select',
  boolean: 'boolean',
  codes: 'json',
};
/** As a reply shows them, where the column's type says less. Amounts and positions are numbers as text. */
const typesByName: Partial<Record<string, FieldType>> = {
  phone_number: 'phone',
  email: 'email',
  assignee_id: 'user',
  owner_user_id: 'user',
  amount_minor: 'text',
  position: 'text',
};

/** Every record has these beside its fields. */
const ofEveryRecord = ['id', 'created_at', 'updated_at'];

function field(name: string, type: FieldType, options?: readonly string[]): BuiltInField {
  const words = name.replace(/^is_|_id$/g, '').replaceAll('_', ' ');
  return { name, label: words[0]!.toUpperCase() + words.slice(1), type, ...(options && { options }) };
}

/** What the list of the kind filters by. */
const listed = ({ columns, names }: Fields): BuiltInField[] => [
  ...Object.entries(columns)
    .filter(([name]) => !ofEveryRecord.includes(name))
    .map(([name, { type, values }]) => field(name, typesByName[name] ?? typesOfColumns[type], values)),
  ...Object.keys(names).map((name) => field(name, 'json')),
];

type Words = Omit<BuiltIn, 'kind' | 'fields'>;

/** `others`: what is shown, and no list filters by. */
const builtIn = (kind: BuiltInKind, words: Words, others: Record<string, FieldType> = {}): BuiltIn => ({
  kind,
  ...words,
  fields: [...listed(builtInLists[kind].table.fields), ...Object.entries(others).map(([name, type]) => field(name, type))],
});

/** What the kinds with tables of their own have, by the names of their own endpoints. */
export const builtIns: Record<BuiltInKind, BuiltIn> = {
  contact: builtIn('contact', { label: 'Contact', pluralLabel: 'Contacts', displayField: 'name' }),
  conversation: builtIn(
    'conversation',
    { label: 'Conversation', pluralLabel: 'Conversations', displayField: 'contact_name' },
    {
      contact_name: 'text',
      contact_phone_number: 'phone',
      snoozed_until: 'datetime',
      unread_count: 'integer',
      preview: 'text',
      last_message_at: 'datetime',
      last_inbound_at: 'datetime',
      window_expires_at: 'datetime',
    },
  ),
  deal: builtIn('deal', { label: 'Deal', pluralLabel: 'Deals', displayField: 'title' }, { probability: 'number' }),
  task: builtIn(
    'task',
    { label: 'Task', pluralLabel: 'Tasks', displayField: 'title' },
    { description: 'long_text', remind_at: 'datetime', completed_at: 'datetime' },
  ),
};
