import { uuidv7 } from '../../platform/ids.ts';
import type { Field } from './definition.ts';
import { isAlwaysIndexed } from './field-rules.ts';
import type { FieldType, Option } from './type.entity.ts';
import { isFault, isNothing, readerOf } from './value-readers.ts';

/** As the API has it. */
export type GivenField = {
  label?: string;
  type?: FieldType;
  required?: boolean;
  unique?: boolean;
  indexed?: boolean;
  searchable?: boolean;
  default?: unknown;
  min?: number | null;
  max?: number | null;
  max_length?: number | null;
  options?: { value: string; label?: string }[];
};

const optionOf = ({ value, label = value }: { value: string; label?: string }): Option => ({ value, label });

/** The field after a change; `before`: undefined for a new one, whose name and position the caller knows. */
export function givenField(given: GivenField & { name?: string }, before: Field | undefined): Field {
  const type = given.type ?? before?.type ?? 'text';
  const name = before?.name ?? given.name ?? '';
  const isUnique = given.unique ?? before?.isUnique ?? false;
  const keeps = <Value>(value: Value | undefined, old: Value | undefined, none: Value): Value =>
    value === undefined ? (old ?? none) : value;
  const field: Field = {
    id: before?.id ?? uuidv7(),
    name,
    label: given.label ?? before?.label ?? name,
    type,
    isRequired: given.required ?? before?.isRequired ?? false,
    isUnique,
    isIndexed: isUnique || isAlwaysIndexed(type) || (given.indexed ?? before?.isIndexed ?? false),
    isSearchable: given.searchable ?? before?.isSearchable ?? false,
    defaultValue: keeps<unknown>(given.default, before?.defaultValue, null),
    min: keeps(given.min, before?.min, null),
    max: keeps(given.max, before?.max, null),
    maxLength: keeps(given.max_length, before?.maxLength, null),
    options: given.options?.map(optionOf) ?? before?.options ?? [],
    position: before?.position ?? 0,
    indexState: before?.indexState ?? null,
  };
  return { ...field, defaultValue: asStored(field) };
}

/** As a record would have it that was given this value. What is none is told later (field-rules.ts). */
function asStored(field: Field): unknown {
  const { defaultValue } = field;
  if (isNothing(defaultValue)) return defaultValue;
  const read = readerOf(field)(defaultValue);
  return isFault(read) ? defaultValue : read.value;
}
