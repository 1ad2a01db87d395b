import { customFields } from '../../contacts/fields.ts';
import { type ContactName, contactNames } from '../../contacts/identities/named.ts';
import type { ImportRequest } from '../../imports/import.entity.ts';
import { ImportFailure } from '../../platform/csv/failure.ts';
import { customKeyOf, readHeader } from '../../platform/csv/header.ts';
import type { Field, ObjectType, Relation } from '../types/definition.ts';
import { isBuiltIn } from '../types/names.ts';

/** How a cell names the other end of a relation. `value`: of a unique field of its type. */
export type Naming = { by: 'id' } | { by: 'identity'; name: Exclude<ContactName, 'id'> } | { by: 'value'; field: Field };

export type Column =
  | { kind: 'id' | 'custom-fields' | 'metadata' | 'ignored'; name: string }
  | { kind: 'field'; name: string; field: Field }
  | { kind: 'custom'; name: string; key: string }
  | { kind: 'link'; name: string; relation: Relation; naming: Naming }
  /** The source of the external ids beside it. */
  | { kind: 'source'; name: string; relation: Relation };

/** As an export writes them; the file cannot change them. */
const ignored = ['kind', 'display_name', 'revision', 'created_at', 'updated_at'];

export type Definitions = { type: ObjectType; types: ObjectType[] };

function columnOf({ type, types }: Definitions, given: string): Column | undefined {
  const key = customKeyOf(given);
  if (key !== undefined) {
    const isFine = !customFields.validate(JSON.parse(`{${JSON.stringify(key)}: ""}`)).error;
    return isFine ? { kind: 'custom', name: given, key } : undefined;
  }
  const name = given.toLowerCase();
  if (name === 'id') return { kind: 'id', name };
  if (name === 'custom_fields') return { kind: 'custom-fields', name };
  if (name === 'metadata') return { kind: 'metadata', name };
  if (ignored.includes(name)) return { kind: 'ignored', name };
  const field = type.fields.find((one) => one.name === name);
  if (field) return { kind: 'field', name, field };
  const [first, by, ...rest] = name.split('.');
  const relation = type.relations.find((one) => one.name === first);
  if (!relation || by === undefined || rest.length > 0) return undefined;
  if (relation.kind === 'contact' && by === 'external_source') return { kind: 'source', name, relation };
  const naming = namingOf(types, relation, by);
  return naming && { kind: 'link', name, relation, naming };
}

function namingOf(types: ObjectType[], { kind }: Relation, by: string): Naming | undefined {
  if (by === 'id') return { by };
  if (kind === 'contact')
    return (contactNames as readonly string[]).includes(by)
      ? { by: 'identity', name: by as Exclude<ContactName, 'id'> }
      : undefined;
  if (isBuiltIn(kind)) return undefined;
  const field = types.find((one) => one.kind === kind)?.fields.find((one) => one.name === by);
  return field?.isUnique && field.indexState === 'ready' ? { by: 'value', field } : undefined;
}

/** Throws ImportFailure before any row is read. */
export function readColumns(definitions: Definitions, request: ImportRequest, cells: string[], line: number): Column[] {
  const { type } = definitions;
  const columns = readHeader<Column>(cells, line, {
    columnOf(given) {
      if (!Object.hasOwn(request.columns, given)) return columnOf(definitions, given);
      const ours = request.columns[given]!;
      return ours === null ? { kind: 'ignored', name: `"${given}"` } : columnOf(definitions, ours);
    },
    missing: () =>
      `The first line must name the columns, with commas between them, such as ${type.fields
        .slice(0, 3)
        .map(({ name }) => name)
        .join(',')}`,
  });
  assertFits(request, columns, line);
  return columns;
}

function assertFits({ key, seesContacts }: ImportRequest, columns: Column[], line: number) {
  const names = columns.map(({ name }) => name);
  const fail = (code: string, message: string, column: string): never => {
    throw new ImportFailure(code, message, { line, column });
  };
  if (key !== null && !names.includes(key)) fail('header.key', `The file has no column ${key}, which names the records`, key);
  for (const column of columns) {
    const isExternal = column.kind === 'link' && column.naming.by === 'identity' && column.naming.name === 'external_id';
    if (column.kind === 'link' && column.naming.by === 'identity' && !seesContacts)
      fail('header.forbidden', `${column.name} takes the scope contacts:read: who imports may not look contacts up`, column.name);
    if (isExternal && !names.includes(`${column.relation.name}.external_source`))
      fail('header.source', `${column.name} needs a column ${column.relation.name}.external_source`, column.name);
  }
  if (columns.every(({ kind }) => kind === 'ignored' || kind === 'id'))
    throw new ImportFailure('header.nothing', 'No column says anything about a record', { line });
}
