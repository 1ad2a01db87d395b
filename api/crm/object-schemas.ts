import Joi from 'joi';
import { exampleTime } from '../../src/platform/examples.ts';
import type { BuiltIn } from '../../src/records/built-in/definitions.ts';
import type { GivenChange } from '../../src/records/types/change-fields.ts';
import type { Field, ObjectType, Relation } from '../../src/records/types/definition.ts';
import { maxOptions } from '../../src/records/types/field-rules.ts';
import type { GivenField } from '../../src/records/types/given-field.ts';
import { fieldName, label } from '../../src/records/types/names.ts';
import { cardinalities, deleteRules, fieldTypes, indexStates } from '../../src/records/types/type.entity.ts';
import { iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'CRM';
export const objectKind = Joi.string().min(1).max(63).description('The kind, such as `company`');
export const nameInPath = Joi.string().min(1).max(63);
export const aboutType = { tag, subject: 'Object type', params: { objectKind } };

const option = Joi.object({
  value: Joi.string().required(),
  label: Joi.string().required(),
  replaced_by: Joi.string()
    .allow(null)
    .description('Only while the option leaves: what an operation gives the records that have it; null: nothing'),
});

const fieldSchema = Joi.object({
  name: Joi.string().required(),
  label: Joi.string().required(),
  type: Joi.string()
    .valid(...fieldTypes)
    .required(),
  required: Joi.boolean().required(),
  unique: Joi.boolean().required(),
  indexed: Joi.boolean().required(),
  searchable: Joi.boolean().required(),
  index_state: Joi.string()
    .valid('none', ...indexStates)
    .required()
    .description('building: the values so far are being indexed, and lists do not sort by it yet'),
  default: Joi.any().required().description('null: none'),
  min: Joi.number().allow(null).required(),
  max: Joi.number().allow(null).required(),
  max_length: Joi.number().integer().allow(null).required(),
  options: Joi.array().items(option).required(),
});

const relationSchema = Joi.object({
  name: Joi.string().required(),
  inverse_name: Joi.string().required().description('What the other end calls it'),
  kind: Joi.string().required().description('Of the objects at the other end'),
  cardinality: Joi.string()
    .valid(...cardinalities)
    .required()
    .description('From this end to the other'),
  on_delete: Joi.string()
    .valid(...deleteRules)
    .required(),
  is_inverse: Joi.boolean().required().description('true: the other end defines it'),
});

const exampleField = {
  name: 'name',
  label: 'Name',
  type: 'text',
  required: true,
  unique: false,
  indexed: true,
  searchable: true,
  index_state: 'ready',
  default: null,
  min: null,
  max: null,
  max_length: 200,
  options: [],
};
const exampleRelation = {
  name: 'contacts',
  inverse_name: 'company',
  kind: 'contact',
  cardinality: 'one_to_many',
  on_delete: 'unlink',
  is_inverse: false,
};

export const fieldView = view('object_field', fieldSchema, exampleField);

export const typeView = view(
  'object_type',
  Joi.object({
    kind: Joi.string().required(),
    label: Joi.string().required(),
    plural_label: Joi.string().required(),
    description: Joi.string().allow('').required(),
    is_builtin: Joi.boolean().required().description('true: it has endpoints of its own and is not changed here'),
    is_standard: Joi.boolean().required().description('true: it may be extended, and not deleted'),
    display_field: Joi.string().required().description('The field that names a record'),
    fields: Joi.array().items(fieldSchema).required(),
    relations: Joi.array().items(relationSchema).required(),
    created_at: timestamp
      .allow(null)
      .required()
      .description('null for a built-in kind, and for `company` before its first record or change'),
    updated_at: timestamp.allow(null).required(),
  }),
  {
    kind: 'company',
    label: 'Company',
    plural_label: 'Companies',
    description: '',
    is_builtin: false,
    is_standard: true,
    display_field: 'name',
    fields: [exampleField],
    relations: [exampleRelation],
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

export const toField = (field: Field) => ({
  name: field.name,
  label: field.label,
  type: field.type,
  required: field.isRequired,
  unique: field.isUnique,
  indexed: field.isIndexed,
  searchable: field.isSearchable,
  index_state: field.indexState ?? 'none',
  default: field.defaultValue,
  min: field.min,
  max: field.max,
  max_length: field.maxLength,
  options: field.options,
});

const seenFrom = { one_to_many: 'many_to_one', many_to_one: 'one_to_many' } as const;

export const toRelation = ({ name, inverseName, kind, cardinality, onDelete, isInverse }: Relation) => ({
  name,
  inverse_name: inverseName,
  kind,
  cardinality: isInverse && cardinality in seenFrom ? seenFrom[cardinality as keyof typeof seenFrom] : cardinality,
  on_delete: onDelete,
  is_inverse: isInverse,
});

export const toType = (type: ObjectType) => ({
  kind: type.kind,
  label: type.label,
  plural_label: type.pluralLabel,
  description: type.description,
  is_builtin: false,
  is_standard: type.isStandard,
  display_field: type.displayField,
  fields: type.fields.map(toField),
  relations: type.relations.map(toRelation),
  created_at: type.createdAt && iso(new Date(type.createdAt)),
  updated_at: type.updatedAt && iso(new Date(type.updatedAt)),
});

export const toBuiltIn = ({ kind, label: name, pluralLabel, displayField, fields }: BuiltIn, relations: Relation[]) => ({
  kind,
  label: name,
  plural_label: pluralLabel,
  description: '',
  is_builtin: true,
  is_standard: false,
  display_field: displayField,
  fields: fields.map((field) => ({
    ...exampleField,
    ...field,
    required: false,
    indexed: false,
    searchable: false,
    index_state: 'none',
    max_length: null,
    options: (field.options ?? []).map((value) => ({ value, label: value })),
  })),
  relations: relations.map(toRelation),
  created_at: null,
  updated_at: null,
});

const optionText = Joi.string().trim().min(1).max(100);
const given = {
  label: label.description('For people; the name when it is left out'),
  required: Joi.boolean().description('A record must have it; on a type with records it needs a default'),
  unique: Joi.boolean().description('No two live records have the same, whatever the case; indexed too'),
  indexed: Joi.boolean().description(
    'Lists sort by it, and filter by it however many records there are; email and phone always are',
  ),
  searchable: Joi.boolean().description('`search` finds its words'),
  default: Joi.any().description('For new records without it'),
  min: Joi.number().unsafe().allow(null),
  max: Joi.number().unsafe().allow(null),
  max_length: Joi.number().integer().min(1).max(20_000).allow(null),
  options: Joi.array()
    .items(Joi.object({ value: optionText.required(), label: optionText }))
    .max(maxOptions)
    .description('Of `select` and `multi_select`, in their order'),
};

const fieldType = Joi.string().valid(...fieldTypes);

export const newField = Joi.object<GivenField & { name: string }>({
  name: fieldName.required(),
  type: fieldType.required(),
  ...given,
});
export const fieldChange = Joi.object<GivenChange>({
  type: fieldType.description(
    'Only a wider one: `integer` to `number`, `text` to `long_text`, `url`, `email`, `phone` and `select` to `text`',
  ),
  ...given,
  replace_with: Joi.object()
    .pattern(optionText, optionText.allow(null))
    .max(maxOptions)
    .description(
      'By an option that `options` leaves out: the option that its records get. null: the value is emptied, where the field is not required',
    ),
}).min(1);

export const exampleNewField = { name: 'budget', label: 'Budget', type: 'number', indexed: true, min: 0 };
