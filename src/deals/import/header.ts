import { customFields } from '../../contacts/fields.ts';
import { type ContactName, contactNames } from '../../contacts/identities/named.ts';
import type { ImportRequest } from '../../imports/import.entity.ts';
import { ImportFailure } from '../../platform/csv/failure.ts';
import { customKeyOf, readHeader } from '../../platform/csv/header.ts';

/** Cells with one text. `amount`: a decimal number; `owner`: a member's id or email address; `pipeline`, `stage`: an id or a name. */
export const fieldColumns = [
  'title',
  'status',
  'amount_minor',
  'amount',
  'currency_code',
  'expected_close_at',
  'owner',
  'pipeline',
  'stage',
  'lost_reason',
] as const;
export type FieldColumn = (typeof fieldColumns)[number];

export type Column =
  | { kind: 'id' | 'custom-fields' | 'metadata' | 'contact-ids' | 'source' | 'ignored'; name: string }
  | { kind: 'field'; name: string; field: FieldColumn }
  | { kind: 'custom'; name: string; key: string }
  | { kind: 'contact'; name: string; by: ContactName };

/** As an export writes them. */
const otherNames: Record<string, FieldColumn> = { owner_user_id: 'owner', pipeline_id: 'pipeline', stage_id: 'stage' };
const ignored = [
  'probability',
  'home_currency_at_write',
  'amount_in_home_currency',
  'stage_entered_at',
  'closed_at',
  'source_conversation_id',
  'primary_contact_id',
  'created_at',
  'updated_at',
];
const plain: Record<string, 'id' | 'custom-fields' | 'metadata' | 'contact-ids' | 'source'> = {
  id: 'id',
  custom_fields: 'custom-fields',
  metadata: 'metadata',
  contact_ids: 'contact-ids',
  'contacts.external_source': 'source',
};

function columnOf(given: string): Column | undefined {
  const key = customKeyOf(given);
  if (key !== undefined) {
    const isFine = !customFields.validate(JSON.parse(`{${JSON.stringify(key)}: ""}`)).error;
    return isFine ? { kind: 'custom', name: given, key } : undefined;
  }
  const name = given.toLowerCase();
  if (Object.hasOwn(plain, name)) return { kind: plain[name]!, name };
  if (ignored.includes(name)) return { kind: 'ignored', name };
  const field = Object.hasOwn(otherNames, name) ? otherNames[name]! : name;
  // Named for the field, so that `stage` and `stage_id` together are one column twice.
  if ((fieldColumns as readonly string[]).includes(field)) return { kind: 'field', name: field, field: field as FieldColumn };
  const by = contactNames.find((one) => name === `contacts.${one}`);
  return by && { kind: 'contact', name, by };
}

/** Throws ImportFailure before any row is read. */
export function readColumns(request: ImportRequest, cells: string[], line: number): Column[] {
  const columns = readHeader<Column>(cells, line, {
    columnOf(given) {
      if (!Object.hasOwn(request.columns, given)) return columnOf(given);
      const ours = request.columns[given]!;
      return ours === null ? { kind: 'ignored', name: `"${given}"` } : columnOf(ours);
    },
    missing: () => 'The first line must name the columns, with commas between them: title,amount_minor,currency_code',
  });
  assertFits(request, columns, line);
  return columns;
}

function assertFits({ key, seesContacts }: ImportRequest, columns: Column[], line: number) {
  const names = columns.map(({ name }) => name);
  const fail = (code: string, message: string, column: string): never => {
    throw new ImportFailure(code, message, { line, column });
  };
  if (key !== null && !names.includes(key)) fail('header.key', `The file has no column ${key}, which names the deals`, key);
  for (const column of columns) {
    if (column.kind !== 'contact' || column.by === 'id') continue;
    if (!seesContacts)
      fail('header.forbidden', `${column.name} takes the scope contacts:read: who imports may not look contacts up`, column.name);
    if (column.by === 'external_id' && !names.includes('contacts.external_source'))
      fail('header.source', `${column.name} needs a column contacts.external_source`, column.name);
  }
  if (names.includes('amount') && names.includes('amount_minor'))
    fail('header.amount', 'amount and amount_minor say the same: give one of them', 'amount');
  if (columns.every(({ kind }) => kind === 'ignored' || kind === 'id'))
    throw new ImportFailure('header.nothing', 'No column says anything about a deal', { line });
}
