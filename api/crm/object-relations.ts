import Joi from 'joi';
import { addRelation, maxRelations, type RelationBody, removeRelation } from '../../src/records/types/change-relations.ts';
import { typeLane } from '../../src/records/types/jobs.ts';
import { relationName } from '../../src/records/types/names.ts';
import { cardinalities, deleteRules } from '../../src/records/types/type.entity.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { aboutType, nameInPath, objectKind, toType, typeView } from './object-schemas.ts';

export const createObjectRelation = endpoint({
  ...aboutType,
  method: 'post',
  path: '/v1/crm/object-types/:objectKind/relations',
  operationId: 'crm.object-relations.create',
  scope: 'crm_schema:write',
  summary: 'Relate a kind to another',
  description: `To one of the organization's kinds or a built-in one, at most ${maxRelations} a kind. \`one_to_many\`: a record of this kind has many of the others, each of which has one at most.`,
  audit: 'object_type',
  isIdempotent: true,
  body: Joi.object<RelationBody>({
    name: relationName.required().description('As records of this kind call it, such as `contacts`'),
    inverse_name: relationName.required().description('As the other end calls it, such as `company`'),
    to_kind: objectKind.required(),
    cardinality: Joi.string()
      .valid(...cardinalities)
      .required(),
    on_delete: Joi.string()
      .valid(...deleteRules)
      .description('restrict: a record that has such links is not deleted; `unlink` otherwise'),
  }),
  responses: { 201: typeView },
  errors: [409],
  example: {
    params: { objectKind: 'company' },
    body: { name: 'projects', inverse_name: 'customers', to_kind: 'conversation', cardinality: 'many_to_many' },
  },
  handler: ({ params: { objectKind: kind }, body, own, write }) =>
    write({ locks: [body.to_kind, kind].map((one) => typeLane(own.organizationId, one)) }, async (tx) => ({
      ...ok(toType(await addRelation(tx.own, kind, body))),
      status: 201,
      headers: { Location: `/v1/crm/object-types/${kind}` },
      audit: { subject: `object_type:${kind}`, details: { relation: body.name } },
    })),
});

export const deleteObjectRelation = endpoint({
  ...aboutType,
  subject: 'Relation',
  params: { ...aboutType.params, relationName: nameInPath.description('The relation') },
  method: 'delete',
  path: '/v1/crm/object-types/:objectKind/relations/:relationName',
  operationId: 'crm.object-relations.delete',
  scope: 'crm_schema:write',
  summary: 'Remove a relation with all its links',
  description: 'At the end that defines it; at the other end it is a 409.',
  audit: 'object_type',
  responses: { 204: null },
  errors: [409],
  example: { params: { objectKind: 'company', relationName: 'contacts' } },
  handler: ({ params: { objectKind: kind, relationName: name }, own, write }) =>
    write({ locks: [typeLane(own.organizationId, kind)], isLong: true }, async (tx) => {
      await removeRelation(tx.own, kind, name);
      return { status: 204, audit: { subject: `object_type:${kind}`, details: { relation: name } } };
    }),
});
