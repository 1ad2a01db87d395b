import Joi from 'joi';
import { getCrmImport } from '../../src/imports/imports.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { AppError, invalidField } from '../../src/platform/errors.ts';
import { assertNotBuiltIn } from '../../src/records/built-in/kind.ts';
import { loadType, unknownKind } from '../../src/records/types/object-type.ts';
import { endpoint } from '../http/endpoint.ts';
import { operationNote } from '../http/schemas.ts';
import { withExample, wrapped } from '../http/view.ts';
import { queuedExample } from '../imports/views.ts';
import {
  crmImportView,
  fileNote,
  type ImportQuery,
  importNote,
  importQuery,
  queueFile,
  tag,
  takeCrmFile,
  toCrmImportView,
} from './import-schemas.ts';
import { objectKind } from './record-schemas.ts';

/** Throws 422 for an unknown kind and for a key that is not unique, 409 while it becomes unique. */
async function assertFits(own: Own, kind: string, key: string | null): Promise<{ typeId: string }> {
  assertNotBuiltIn(kind);
  const type = await loadType(own, kind);
  if (!type) throw unknownKind();
  const { id: typeId } = type;
  if (key === null || key === 'id') return { typeId };
  const field = type.fields.find(({ name }) => name === key);
  if (!field?.isUnique) throw invalidField('key', `key must be id or a unique field of ${type.label}`, 'any.only', 'query');
  if (field.indexState !== 'ready')
    throw new AppError('conflict', `${key} is not unique yet: its index is being built`, { retryAfterSeconds: 5 });
  return { typeId };
}

export const importRecordsFile = endpoint({
  method: 'post',
  path: '/v1/crm/object-types/:objectKind/records/import',
  operationId: 'crm.records.import',
  tag,
  scope: 'crm:write',
  audit: 'object_type',
  summary: 'Import records from a CSV file',
  description: `Each row is what POST of the kind takes. With \`key\`, a unique field, a row updates the record that has its value or creates one; without it a row with an \`id\` updates that record, any other creates one. Then the same file again changes nothing. ${importNote}\n\n${operationNote}`,
  isMissingFine: true,
  isIdempotent: true,
  isOperation: true,
  errors: [409],
  params: { objectKind },
  query: Joi.object<ImportQuery>({
    key: Joi.string().max(63).description('The unique field that says which record a row is about'),
    ...importQuery,
    source: Joi.string().trim().min(1).max(100).description('Noted in `enrichment_summary` as where the values come from'),
  }),
  receive: {
    contentType: 'text/csv',
    description: `Columns are the fields of the type by name. A \`currency\` is minor units and code (\`125000 EUR\`), a \`multi_select\` has \`;\` between its options, a \`user\` is an id or a member's email address, \`json\` is JSON. \`<relation>.id\`, \`<relation>.<unique field>\`, and to contacts \`<relation>.phone_number\`, \`.email\`, \`.external_id\` with \`.external_source\`, which take \`contacts:read\`, link what is there. ${fileNote}`,
    take: takeCrmFile,
  },
  responses: { 201: wrapped(withExample(crmImportView, queuedExample)) },
  location: '/v1/crm/imports',
  example: {
    params: { objectKind: 'company' },
    query: { key: 'domain' },
    body: 'name,domain,employees,annual_revenue\r\nAnalytical Engines,analytical.example,12,125000 EUR\r\n',
  },
  handler({ params: { objectKind: kind }, body, query, own, caller, write }) {
    return queueFile({ body, query, own, caller, write }, kind, ({ key }) => assertFits(own, kind, key));
  },
  async outcome({ own }, _deps, reply) {
    const { id } = (reply.body as { data: { id: string } }).data;
    return { ...reply, body: { data: toCrmImportView(await getCrmImport(own, id)) } };
  },
});
