import { foldedEmail } from '../../contacts/fields.ts';
import { toE164 } from '../../contacts/identities/phone.ts';
import type { Own } from '../../platform/database/own.ts';
import { AppError } from '../../platform/errors.ts';
import type { Fields } from '../../platform/listing/fields.ts';
import type { Condition } from '../../platform/listing/filters.ts';
import { foldedText } from '../../platform/listing/fold.ts';
import type { Listing } from '../../platform/listing/listing.ts';
import { isTypedIndexed, type TypedField, type TypedType } from '../../platform/listing/typed.ts';
import type { Field, ObjectType } from './definition.ts';
import { indexedText } from './indexed-values.ts';
import { type FieldType, fieldTypes } from './type.entity.ts';

const typedTypes: Record<FieldType, TypedType> = {
  text: 'text',
  long_text: 'text',
  url: 'text',
  email: 'text',
  phone: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  date: 'date',
  datetime: 'time',
  select: 'choice',
  multi_select: 'choices',
  user: 'id',
  currency: 'amount',
  json: 'json',
};

const canonical: Partial<Record<FieldType, (given: string) => string>> = {
  email: (given) => foldedEmail(given.trim()),
  phone: (given) => toE164(given) ?? given,
};

/** As codes are stored. */
const upperCase = (given: string) => given.toUpperCase();

/** A currency is filtered by its amount, and by `<name>.currency_code`. */
function typedOf(field: Field): [string, TypedField][] {
  const { id, name, type } = field;
  const isIndexed = field.indexState === 'ready';
  const options = new Set(field.options.map(({ value }) => value));
  const hasAlikeOptions = new Set([...options].map(foldedText)).size < options.size;
  const common = { id, isIndexed, options, hasAlikeOptions, canonical: canonical[type] };
  if (type !== 'currency') return [[name, { ...common, path: [name], type: typedTypes[type] }]];
  return [
    [name, { ...common, path: [name, 'amount_minor'], type: 'amount' }],
    [`${name}.currency_code`, { ...common, path: [name, 'currency_code'], type: 'code', canonical: upperCase }],
  ];
}

/** By the list of fields, which is the same for many requests (known-type.ts). */
const made = new WeakMap<Field[], Fields>();

/** For a listed table that is `records k`. */
export function recordFieldsOf({ fields }: Pick<ObjectType, 'fields'>): Fields {
  const listed = made.get(fields) ?? fieldsFrom(fields);
  made.set(fields, listed);
  return listed;
}

const fieldsFrom = (fields: Field[]): Fields => ({
  columns: {
    id: { sql: 'k.id', type: 'id' },
    created_at: { sql: 'k.created_at', type: 'time', isSortable: true, isInId: true },
    updated_at: { sql: 'k.updated_at', type: 'time', isSortable: true },
    display_name: { sql: 'k.display_name', type: 'text', isSortable: true, isSortedFolded: true },
  },
  objects: { custom_fields: { sql: 'k.custom_fields' } },
  names: {},
  search: { text: 'k.search', words: `k.display_name || E'\\n' || k.search_text` },
  typed: {
    object: 'k.fields',
    values: 'record_values',
    foldedText: indexedText,
    fields: Object.fromEntries(fields.flatMap(typedOf)),
  },
});

/** Above so many records of a type they are not compared one by one for a field without an index. */
export const maxCompared = 100_000;

/** SQL: reads no further than the bound, by records_list. */
const beyondBound = `
  select 1
    from records
   where organization_id = $1 and type_id = $2 and deleted_at is null
  offset $3
   limit 1`;

const isCompared = ({ field, operator }: Condition): boolean =>
  field.typed !== undefined && !isTypedIndexed(field.typed, operator) && !field.typed.isIndexed;

/** Throws 422 `filter.not_indexed` for conditions that would be compared with each of very many records. */
export async function assertAnswerable(own: Own, type: ObjectType, listing: Listing, bound = maxCompared): Promise<void> {
  const { conditions, groups, location } = listing;
  const asked = [...conditions, ...groups.flat()].filter(isCompared);
  if (asked.length === 0) return;
  const [beyond] = await own.sql(beyondBound, [type.id, bound]);
  if (!beyond) return;
  const details = asked.map((one) => ({
    field: conditions.includes(one) ? 'filters' : 'any',
    location,
    code: 'filter.not_indexed',
    message: toIndex(type, one.name),
  }));
  throw new AppError('invalid_request', details[0]!.message, { details });
}

export const indexableTypes: readonly FieldType[] = fieldTypes.filter((type) => type !== 'long_text' && type !== 'json');

function toIndex({ kind, fields }: ObjectType, filtered: string): string {
  const name = filtered.replace(/\.currency_code$/, '');
  const field = fields.find((one) => one.name === name)!;
  const why = `${kind} has more than ${maxCompared} records and ${name} has no index`;
  if (!indexableTypes.includes(field.type)) return `${why}: a ${field.type} cannot be filtered there`;
  if (field.indexState === 'building') return `${why} yet: it is being built`;
  return `${why}: set it with PATCH /v1/crm/object-types/${kind}/fields/${name} {"indexed": true}`;
}
