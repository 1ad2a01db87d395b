import { contactFields } from '../../contacts/list.ts';
import { dealFields } from '../../deals/list.ts';
import { conversationFields } from '../../messaging/inbox/list.ts';
import { directions, messageStatuses } from '../../messaging/message.entity.ts';
import { catalogue } from '../../platform/events/catalogue.ts';
import { type Field, type Fields, fieldOf } from '../../platform/listing/fields.ts';
import type { ObjectType } from '../../records/types/definition.ts';
import { recordFieldsOf } from '../../records/types/listing.ts';
import { taskFields } from '../../tasks/list.ts';
import { isRoot, type Root, splitName } from './roots.ts';

const noSearch = { text: '', words: '' };
const id = { sql: '', type: 'id' } as const;
const text = { sql: '', type: 'text' } as const;
const time = { sql: '', type: 'time' } as const;

/** No list filters messages like that: it has no statement. */
const messageFields: Fields = {
  columns: {
    id,
    channel_id: id,
    conversation_id: id,
    contact_id: { ...id, isNullable: true },
    campaign_id: { ...id, isNullable: true },
    context_message_id: { ...id, isNullable: true },
    direction: { sql: '', type: 'choice', values: directions },
    status: { sql: '', type: 'choice', values: messageStatuses },
    type: text,
    text,
    from_phone: text,
    to_phone: text,
    send_at: { ...time, isNullable: true },
    provider_at: { ...time, isNullable: true },
    created_at: time,
    updated_at: time,
  },
  objects: { content: { sql: '' } },
  names: {},
  search: noSearch,
};

/** Any JSON, whose members are named by dots. */
const anything = (root: Root, more: Partial<Fields> = {}): Fields => ({
  columns: {},
  objects: { [root]: { sql: '' } },
  names: {},
  search: noSearch,
  ...more,
});

const lists = new Set(catalogue.flatMap(({ example }) => Object.keys(example).filter((name) => Array.isArray(example[name]))));
const eventFields = anything('event', {
  columns: { 'event.timestamp': time },
  names: Object.fromEntries([...lists].map((name) => [`event.${name}`, { from: '', name: '' }])),
});
const [varFields, stepFields] = [anything('vars'), anything('steps')];

export const ofRoots: Record<Exclude<Root, 'record'>, Fields> = {
  event: eventFields,
  message: messageFields,
  contact: contactFields,
  conversation: conversationFields,
  deal: dealFields,
  task: taskFields,
  vars: varFields,
  steps: stepFields,
};

export const isAnything = (root: Root) => root === 'event' || root === 'vars' || root === 'steps';

/** Of records of no type: what each has. */
export const ofEveryRecord = recordFieldsOf({ fields: [] });

/** A field as a condition names it, with the list that reads its values. `name`: as that list calls it. */
export type Named = { root: Root; name: string; fields: Fields; field: Field };

/** `recordFields`: of the record's type. */
export function namedField(given: string, recordFields: Fields = ofEveryRecord): Named | undefined {
  const { root, rest } = splitName(given);
  if (!isRoot(root) || rest === '') return undefined;
  const fields = root === 'record' ? recordFields : ofRoots[root];
  const name = isAnything(root) ? given : rest;
  const field = fieldOf(fields, name);
  return field && { root, name, fields, field };
}

/** As events and the history name what changed: a currency is one field. `named`: undefined for what no list filters by, such as links. */
export function changeNameOf(given: string, named: Named | undefined): { root: string; name: string } {
  const { root, rest } = splitName(given);
  return { root, name: named?.field.typed?.path[0] ?? rest };
}

/** What conditions and texts stand in. Without one of them, what it says is not checked. */
export type ConditionContext = {
  /** The type of the event that they see; null: there is none. */
  event?: string | null;
  /** The roots that may be there (`rootsOfEvent`). */
  roots?: ReadonlySet<string>;
  /** The ids of the steps before. */
  steps?: ReadonlySet<string>;
  /** Types of records, of which one is the record's. None: any field of a record may be named. */
  types?: ObjectType[];
};
