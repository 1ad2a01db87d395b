import { v5 } from 'uuid';
import type { OwnRecords } from '../../platform/database/own.ts';
import type { Field, ObjectType, Relation } from './definition.ts';

/** The standard type. Each organization has it without a row: it is stored with its first record, or its first change. */
export const companyKind = 'company';

const plain = {
  isRequired: false,
  isUnique: false,
  isIndexed: false,
  isSearchable: false,
  defaultValue: null,
  min: null,
  max: null,
  maxLength: null,
  options: [],
};

type Given = Pick<Field, 'name' | 'label' | 'type'> & Partial<Field>;

const given: Given[] = [
  { name: 'name', label: 'Name', type: 'text', isRequired: true, isIndexed: true, isSearchable: true, maxLength: 200 },
  { name: 'domain', label: 'Domain', type: 'text', isUnique: true, isIndexed: true, isSearchable: true, maxLength: 200 },
  { name: 'industry', label: 'Industry', type: 'text', isIndexed: true, maxLength: 200 },
  { name: 'email', label: 'Email', type: 'email', isIndexed: true, isSearchable: true },
  { name: 'phone', label: 'Phone', type: 'phone', isIndexed: true },
  { name: 'website', label: 'Website', type: 'url' },
  { name: 'employees', label: 'Employees', type: 'integer', isIndexed: true, min: 0 },
  { name: 'annual_revenue', label: 'Annual revenue', type: 'currency' },
  { name: 'owner', label: 'Owner', type: 'user', isIndexed: true },
  { name: 'address', label: 'Address', type: 'long_text' },
  { name: 'description', label: 'Description', type: 'long_text' },
];

const related = [
  { name: 'contacts', kind: 'contact' },
  { name: 'deals', kind: 'deal' },
];

/** Its ids follow from the organization's: they are the same before it is stored and after. */
export function companyOf(organizationId: string): ObjectType {
  const idOf = (name: string) => v5(`${companyKind} ${name}`, organizationId);
  return {
    id: idOf('type'),
    kind: companyKind,
    label: 'Company',
    pluralLabel: 'Companies',
    description: '',
    displayField: 'name',
    isStandard: true,
    version: 1,
    fields: given.map((field, position) => ({
      ...plain,
      ...field,
      id: idOf(`field ${field.name}`),
      position,
      indexState: field.isIndexed ? 'ready' : null,
    })),
    relations: related.map(
      ({ name, kind }): Relation => ({
        id: idOf(`relation ${name}`),
        name,
        inverseName: companyKind,
        kind,
        isInverse: false,
        cardinality: 'one_to_many',
        isSingle: false,
        onDelete: 'unlink',
      }),
    ),
    createdAt: null,
    updatedAt: null,
  };
}

/** SQL: on conflict do nothing; whoever comes second waits for the first. */
export async function writeCompany(tx: OwnRecords): Promise<void> {
  const { fields, relations, ...type } = companyOf(tx.organizationId);
  const made = await tx.sql(
    `insert into object_types (organization_id, id, kind, label, plural_label, display_field, is_standard)
     values ($1, $2, $3, $4, $5, $6, true)
     on conflict do nothing
     returning id`,
    [type.id, type.kind, type.label, type.pluralLabel, type.displayField],
  );
  if (made.length === 0) return;
  await tx.sql(
    `insert into object_fields (organization_id, id, type_id, name, label, type, is_required, is_unique, is_indexed, is_searchable,
            minimum, max_length, position, index_state)
     select $1, f.id, $2, f.name, f.label, f.type, f."isRequired", f."isUnique", f."isIndexed", f."isSearchable",
            f.min, f."maxLength", f.position, f."indexState"
       from jsonb_to_recordset($3::jsonb) as f (id uuid, name text, label text, type text, "isRequired" boolean, "isUnique" boolean,
            "isIndexed" boolean, "isSearchable" boolean, min float8, "maxLength" int, position int, "indexState" text)`,
    [type.id, JSON.stringify(fields)],
  );
  await tx.sql(
    `insert into object_relations (organization_id, id, type_id, name, inverse_name, to_kind, cardinality)
     select $1, r.id, $2, r.name, r."inverseName", r.kind, r.cardinality
       from jsonb_to_recordset($3::jsonb) as r (id uuid, name text, "inverseName" text, kind text, cardinality text)`,
    [type.id, JSON.stringify(relations)],
  );
}
