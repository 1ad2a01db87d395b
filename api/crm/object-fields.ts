import { actorOf } from '../../src/organizations/caller.ts';
import { notFound } from '../../src/platform/errors.ts';
import { addField, patchField, patchLook, removeField } from '../../src/records/types/change-fields.ts';
import { maxIndexed, maxSearchable } from '../../src/records/types/field-rules.ts';
import { typeLane } from '../../src/records/types/jobs.ts';
import { fieldNamed, loadType } from '../../src/records/types/object-type.ts';
import { maxAtOnce } from '../../src/records/types/replace-options.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { operationNote } from '../http/schemas.ts';
import { aboutType, exampleNewField, fieldChange, fieldView, nameInPath, newField, toField } from './object-schemas.ts';

const aboutField = {
  ...aboutType,
  subject: 'Field',
  params: { ...aboutType.params, fieldName: nameInPath.description('The field') },
};

export const createObjectField = endpoint({
  ...aboutType,
  method: 'post',
  path: '/v1/crm/object-types/:objectKind/fields',
  operationId: 'crm.object-fields.create',
  scope: 'crm_schema:write',
  summary: 'Add a field to a kind',
  description: `It is there at once, however many records there are. At most ${maxIndexed} are indexed, ${maxSearchable} searchable.`,
  audit: 'object_type',
  isIdempotent: true,
  body: newField,
  responses: { 201: fieldView },
  errors: [409],
  example: { params: { objectKind: 'company' }, body: exampleNewField },
  handler: ({ params: { objectKind: kind }, body, own, write }) =>
    write({ locks: [typeLane(own.organizationId, kind)] }, async (tx) => ({
      ...ok(toField((await addField(tx.own, kind, body)).field)),
      status: 201,
      headers: { Location: `/v1/crm/object-types/${kind}` },
      audit: { subject: `object_type:${kind}`, details: { field: body.name } },
    })),
});

export const patchObjectField = endpoint({
  ...aboutField,
  method: 'patch',
  path: '/v1/crm/object-types/:objectKind/fields/:fieldName',
  operationId: 'crm.object-fields.update',
  scope: 'crm_schema:write',
  summary: 'Change a field',
  description: `\`options\` are all its options from now on; one in use, by a record in the bin too, is a 409, unless \`replace_with\` says what its records get: each is then a change of the record, with its history and event. Of more than ${maxAtOnce} an operation replaces it: until it is done the option is shown with \`replaced_by\`, filters find the records by what they have, and no write gives it to another. What changes the index or the names of existing records, such as another label of an option, is an operation: until it is done \`index_state\` is \`building\`. Values that are not unique make it fail with the ids of records that have the same; the field is then not unique. A field that was unique and is made so again is a 409 to try again while many values of its earlier index are still being removed. ${operationNote}`,
  audit: 'object_type',
  isOperation: true,
  body: fieldChange,
  responses: { 200: fieldView },
  errors: [409],
  example: { params: { objectKind: 'company', fieldName: 'industry' }, body: { label: 'Sector' } },
  handler: ({ params: { objectKind: kind, fieldName: name }, body, caller, own, write }) =>
    write(patchLook(own, kind, name, body), async (tx) => {
      const { field, operationId } = await patchField(tx.own, kind, name, body, actorOf(caller));
      const details = { field: name, ...(body.replace_with && { replace_with: body.replace_with }) };
      return { ...ok(toField(field)), operationId, audit: { subject: `object_type:${kind}`, details } };
    }),
  async outcome({ params: { objectKind: kind, fieldName: name }, own }) {
    const type = await loadType(own, kind);
    const field = type && fieldNamed(type, name);
    if (!field) throw notFound('Field');
    return ok(toField(field));
  },
});

export const deleteObjectField = endpoint({
  ...aboutField,
  method: 'delete',
  path: '/v1/crm/object-types/:objectKind/fields/:fieldName',
  operationId: 'crm.object-fields.delete',
  scope: 'crm_schema:write',
  summary: 'Remove a field with all its values',
  description: `Records do not show it any more; an operation removes the values. The field that names the records is a 409. ${operationNote}`,
  audit: 'object_type',
  isOperation: true,
  responses: { 204: null },
  errors: [409],
  example: { params: { objectKind: 'company', fieldName: 'industry' } },
  handler: ({ params: { objectKind: kind, fieldName: name }, own, write }) =>
    write({ locks: [typeLane(own.organizationId, kind)] }, async (tx) => ({
      status: 204,
      operationId: await removeField(tx.own, kind, name),
      audit: { subject: `object_type:${kind}`, details: { field: name } },
    })),
  outcome: async () => ({ status: 204 }),
});
