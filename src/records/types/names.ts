import Joi from 'joi';

/** Kinds with tables of their own; `order` comes with commerce. */
export const builtInKinds = ['contact', 'conversation', 'deal', 'task'] as const;
export type BuiltInKind = (typeof builtInKinds)[number];
export const isBuiltIn = (kind: string): kind is BuiltInKind => (builtInKinds as readonly string[]).includes(kind);

const ofObjects = ['constructor', 'prototype', 'hasownproperty', 'tostring', 'valueof'];
const reservedKinds = [
  ...builtInKinds,
  'company',
  'order',
  'record',
  'object',
  'user',
  'organization',
  'id',
  'kind',
  ...ofObjects,
];
/** What a record has beside its fields, or what its list takes. */
const reservedFields = [
  'id',
  'kind',
  'created_at',
  'updated_at',
  'deleted_at',
  'display_name',
  'fields',
  'custom_fields',
  'metadata',
  'relationships_summary',
  'enrichment_summary',
  'revision',
  'search',
  'sort',
  'filters',
  ...ofObjects,
];

const shaped = (pattern: RegExp, reserved: string[]) =>
  Joi.string()
    .max(63)
    .pattern(pattern)
    .invalid(...reserved)
    .messages({
      'string.pattern.base': '{{#label}} must begin with a letter and have only a-z, 0-9 and _',
      'any.invalid': '{{#label}} is a reserved name',
    });

export const kindName = shaped(/^[a-z][a-z0-9_]{1,62}$/, reservedKinds).description('The kind, such as `project`; it stays');
export const fieldName = shaped(/^[a-z][a-z0-9_]{0,62}$/, reservedFields).description('The field, such as `budget`; it stays');
export const relationName = shaped(/^[a-z][a-z0-9_]{0,62}$/, ofObjects);

export const label = Joi.string()
  .trim()
  .min(1)
  .max(100)
  .pattern(/^\P{Cc}*$/u)
  .messages({ 'string.pattern.base': '{{#label}} must have no control characters' });
