import Joi from 'joi';
import type { Own } from '../../src/platform/database/own.ts';
import { notFound } from '../../src/platform/errors.ts';
import { bindingOf, cursorOf, positionIn } from '../../src/platform/listing/cursor.ts';
import { builtIns } from '../../src/records/built-in/definitions.ts';
import { createType, deleteType, patchType, type TypeBody, type TypeChange } from '../../src/records/types/change-types.ts';
import { maxFields, maxFieldsBytes, maxTypes } from '../../src/records/types/field-rules.ts';
import { typeLane, typesLock } from '../../src/records/types/jobs.ts';
import { builtInKinds, isBuiltIn, kindName, label } from '../../src/records/types/names.ts';
import { loadRelationsTo, loadType, loadTypes } from '../../src/records/types/object-type.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listOf, type PageQuery, pageFrom, pageQuery } from '../http/paging.ts';
import { operationNote } from '../http/schemas.ts';
import { aboutType, exampleNewField, newField, tag, toBuiltIn, toType, typeView } from './object-schemas.ts';

async function readKind(own: Own, kind: string) {
  if (isBuiltIn(kind)) return toBuiltIn(builtIns[kind], await loadRelationsTo(own, kind));
  const type = await loadType(own, kind);
  if (!type) throw notFound('Object type');
  return toType(type);
}

const binding = bindingOf(['object_types']);

export const listOfObjectTypes = endpoint({
  method: 'get',
  path: '/v1/crm/object-types',
  operationId: 'crm.object-types.list',
  tag,
  scope: 'crm_schema:read',
  summary: 'List the kinds of records, with their fields and relations',
  description: `In the order of their names: the built-in ones, \`company\`, and those of the organization, at most ${maxTypes}.`,
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(typeView) },
  async handler({ query, own }) {
    const types = await loadTypes(own);
    const after = query.cursor === undefined ? '' : positionIn(query.cursor, binding, ['text'])[0]!;
    const kinds = [...builtInKinds, ...types.map(({ kind }) => kind)].sort();
    const page = pageFrom(
      query,
      kinds.filter((kind) => kind > after).slice(0, query.limit + 1),
      (kind) => cursorOf(binding, [kind]),
      query.include_total ? kinds.length : undefined,
    );
    const items = page.rows.map((kind) => {
      const type = types.find((one) => one.kind === kind);
      return type ? toType(type) : readKind(own, kind);
    });
    return ok({ items: await Promise.all(items), meta: page.meta });
  },
});

export const getObjectType = endpoint({
  ...aboutType,
  method: 'get',
  path: '/v1/crm/object-types/:objectKind',
  operationId: 'crm.object-types.get',
  scope: 'crm_schema:read',
  summary: 'Get one kind, with its fields and relations',
  responses: { 200: typeView },
  example: { params: { objectKind: 'company' } },
  handler: async ({ params, own }) => ok(await readKind(own, params.objectKind)),
});

const words = {
  label: label.description('For people, such as `Project`'),
  plural_label: label,
  description: Joi.string().trim().allow('').max(1_000),
  display_field: Joi.string().max(63).description('The field that names a record; the first one when it is left out'),
};

export const createObjectType = endpoint({
  method: 'post',
  path: '/v1/crm/object-types',
  operationId: 'crm.object-types.create',
  tag,
  scope: 'crm_schema:write',
  summary: 'Define a kind of records',
  description: `Without \`fields\` it has a \`name\`. A kind has at most ${maxFields} fields, which take at most ${maxFieldsBytes} bytes as JSON.`,
  audit: 'object_type',
  isIdempotent: true,
  body: Joi.object<TypeBody>({
    kind: kindName.required(),
    ...words,
    label: words.label.required(),
    fields: Joi.array().items(newField).max(maxFields),
  }),
  responses: { 201: typeView },
  errors: [409],
  example: {
    body: {
      kind: 'project',
      label: 'Project',
      plural_label: 'Projects',
      fields: [{ name: 'name', type: 'text' }, exampleNewField],
    },
  },
  handler: ({ body, own, write }) =>
    write({ locks: [typesLock(own.organizationId), typeLane(own.organizationId, body.kind)] }, async (tx) => ({
      ...ok(toType(await createType(tx.own, body))),
      status: 201,
      headers: { Location: `/v1/crm/object-types/${body.kind}` },
      audit: { subject: `object_type:${body.kind}` },
    })),
});

export const patchObjectType = endpoint({
  ...aboutType,
  method: 'patch',
  path: '/v1/crm/object-types/:objectKind',
  operationId: 'crm.object-types.update',
  scope: 'crm_schema:write',
  summary: 'Change the words of a kind, or the field that names its records',
  description: 'Another `display_field` is a 409 where there are records. A built-in kind is a 409.',
  audit: 'object_type',
  body: Joi.object<TypeChange>(words).min(1),
  responses: { 200: typeView },
  errors: [409],
  example: { params: { objectKind: 'company' }, body: { label: 'Account', plural_label: 'Accounts' } },
  handler: ({ params: { objectKind: kind }, body, own, write }) =>
    write({ locks: [typeLane(own.organizationId, kind)] }, async (tx) => ({
      ...ok(toType(await patchType(tx.own, kind, body))),
      audit: { subject: `object_type:${kind}` },
    })),
});

export const deleteObjectType = endpoint({
  ...aboutType,
  method: 'delete',
  path: '/v1/crm/object-types/:objectKind',
  operationId: 'crm.object-types.delete',
  scope: 'crm_schema:write',
  summary: 'Delete a kind with all its records',
  description: `It is gone at once, and its name is free; an operation removes the records, which no bin keeps and no event tells. \`company\` and built-in kinds are a 409. ${operationNote}`,
  audit: 'object_type',
  isOperation: true,
  responses: { 204: null },
  errors: [409],
  example: { params: { objectKind: 'project' } },
  handler: ({ params: { objectKind: kind }, own, write }) =>
    write({ locks: [typeLane(own.organizationId, kind)] }, async (tx) => ({
      status: 204,
      operationId: await deleteType(tx.own, kind),
      audit: { subject: `object_type:${kind}` },
    })),
  outcome: async () => ({ status: 204 }),
});
