import Joi from 'joi';
import { customFields } from '../../src/contacts/fields.ts';
import { getCrmImport } from '../../src/imports/imports.ts';
import { customKeyOf } from '../../src/platform/csv/header.ts';
import { invalidField } from '../../src/platform/errors.ts';
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

/** Throws 422. */
async function assertKey(key: string | null): Promise<object> {
  if (key === null || key === 'id') return {};
  const custom = customKeyOf(key);
  const isFine = custom !== undefined && !customFields.validate(JSON.parse(`{${JSON.stringify(custom)}: ""}`)).error;
  if (!isFine) throw invalidField('key', 'key must be id or a field of your own, as custom_fields.<key>', 'any.only', 'query');
  return {};
}

export const importDealsFile = endpoint({
  method: 'post',
  path: '/v1/crm/deals/import',
  operationId: 'crm.deals.import',
  tag,
  scope: 'crm:write',
  audit: 'crm_import',
  summary: 'Import deals from a CSV file',
  description: `Each row is what POST /v1/crm/deals takes. With \`key\` a row updates the deal that has its value in that custom field, or creates one: the same file again changes nothing. Without it a row with an \`id\` updates that deal, any other creates one. Amounts are frozen at the rates of the import. ${importNote}\n\n${operationNote}`,
  isIdempotent: true,
  isOperation: true,
  query: Joi.object<ImportQuery>({
    key: Joi.string().max(150).description('`custom_fields.<key>`: the field of your own that says which deal a row is about'),
    ...importQuery,
  }),
  receive: {
    contentType: 'text/csv',
    description: `Columns: \`title\`, \`status\`, \`amount_minor\` or the decimal \`amount\`, \`currency_code\`, \`expected_close_at\`, \`owner\` (a member's id or email address), \`pipeline\` and \`stage\` (an id or a name), \`lost_reason\`, \`contacts.id\`, and \`contacts.phone_number\`, \`contacts.email\`, \`contacts.external_id\` with \`contacts.external_source\`, which take \`contacts:read\`. The first contact is the primary one. A stage's name is looked for in the pipeline named, else in the deal's own, else in the default one. The file of an export is read too. ${fileNote}`,
    take: takeCrmFile,
  },
  responses: { 201: wrapped(withExample(crmImportView, { ...queuedExample, kind: 'deal' })) },
  location: '/v1/crm/imports',
  example: { body: 'title,amount,currency_code,custom_fields.seats\r\nRenewal for 40 seats,1250.00,EUR,40\r\n' },
  handler: ({ body, query, own, caller, write }) =>
    queueFile({ body, query, own, caller, write }, 'deal', ({ key }) => assertKey(key)),
  async outcome({ own }, _deps, reply) {
    const { id } = (reply.body as { data: { id: string } }).data;
    return { ...reply, body: { data: toCrmImportView(await getCrmImport(own, id)) } };
  },
});
