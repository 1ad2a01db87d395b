import Joi from 'joi';
import { type ImportRequest, importModes } from '../../src/imports/import.entity.ts';
import { type CrmImportRow, queueCrmImport } from '../../src/imports/imports.ts';
import { crmImportLane, crmUploads } from '../../src/imports/tables.ts';
import type { Caller } from '../../src/organizations/caller.ts';
import { invalidField } from '../../src/platform/errors.ts';
import type { Upload } from '../../src/platform/imports/uploads.ts';
import type { Input, Reply } from '../http/endpoint.ts';
import { view } from '../http/view.ts';
import { takeFile } from '../imports/files.ts';
import { importExample, importShape, toImportView } from '../imports/views.ts';

export const tag = 'CRM';

export const crmImportView = view(
  'crm_import',
  Joi.object({
    ...importShape,
    kind: Joi.string().allow('').required().description('`deal`, or the kind of the records; empty while the file is being sent'),
    created_by: Joi.string().required().description('`user:<id>` or `key:<id>`; its rows of history have `import:<id>`'),
  }),
  { ...importExample, kind: 'company', created_by: 'user:01932d5f-3a0e-7cc4-8f4e-0242ac12000a' },
);

export const toCrmImportView = (row: CrmImportRow) => ({
  ...toImportView(row),
  kind: row.object_kind ?? '',
  created_by: row.actor,
});

export type ImportQuery = Pick<ImportRequest, 'mode'> & { key?: string; columns?: string; source?: string };

export const importQuery = {
  mode: Joi.string()
    .valid(...importModes)
    .default('upsert')
    .description('`create`: a row that names what is there is refused, and `id` is passed over'),
  columns: Joi.string()
    .max(8_000)
    .description('A JSON object: names of columns of the file, each with that of ours, or null to pass it over'),
};

/** Throws 422. */
function columnsIn(text: string | undefined): ImportRequest['columns'] {
  if (text === undefined) return {};
  try {
    const given: unknown = JSON.parse(text);
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) {
      const entries = Object.entries(given);
      if (entries.every(([, ours]) => ours === null || typeof ours === 'string')) return Object.fromEntries(entries);
    }
  } catch {
    // Told below.
  }
  throw invalidField('columns', 'columns must be a JSON object of names of columns', 'object.base', 'query');
}

const requestOf = (caller: Caller, { mode, key, columns, source }: ImportQuery): ImportRequest => ({
  mode,
  key: key ?? null,
  source: source ?? null,
  columns: columnsIn(columns),
  seesContacts: caller.scopes.has('contacts:read'),
});

export const fileNote =
  'UTF-8, a header line first, in any order. An empty cell says nothing. `custom_fields.<key>`: a number, true, false, list, object or text in quotes as JSON; anything else is the text it is. `custom_fields` and `metadata` as JSON. Several contacts or records in one cell have `;` between them; links are added, none is taken away. A quote before a cell that begins with = + - @ is taken off.';
export const importNote =
  'A row with errors is left out and reported with its line and column. A file has at most 500 columns. An organization has few imports that wait or run (`IMPORTS_MAX_QUEUED`, usually 10): one more is a 422 `limit_reached`, before the file is read. One event, `crm.imported`, and none for each row.';

export const takeCrmFile = takeFile(crmUploads);

type Asked = Pick<Input<Upload, ImportQuery>, 'body' | 'query' | 'own' | 'caller' | 'write'>;

/** `assertFits`: throws for a key or a kind that there is not. Gives the type of the records. */
export async function queueFile(
  { body, query, own, caller, write }: Asked,
  kind: string,
  assertFits: (request: ImportRequest) => Promise<Pick<ImportRequest, 'typeId'>>,
): Promise<Reply> {
  const asked = requestOf(caller, query);
  const request = { ...asked, ...(await assertFits(asked)) };
  return write({ locks: [crmImportLane(own.organizationId)] }, async (tx) => {
    const { row, operationId } = await queueCrmImport(tx, body, kind, request);
    return { status: 201, body: { data: toCrmImportView(row) }, operationId, audit: { details: { import_id: row.id } } };
  });
}
