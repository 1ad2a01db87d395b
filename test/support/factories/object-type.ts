import { uuidv7 } from '../../../src/platform/ids.ts';
import type { Field } from '../../../src/records/types/definition.ts';
import type { App } from '../app.ts';

type GivenField = Partial<Field> & Pick<Field, 'name' | 'type'>;
type GivenRelation = { name: string; inverse: string; to: string; cardinality?: string; onDelete?: string };

/** A type as its endpoint would store it, every index ready. */
export async function objectType(
  app: Pick<App, 'rows'>,
  organizationId: string,
  { kind, fields = [], relations = [] }: { kind: string; fields?: GivenField[]; relations?: GivenRelation[] },
): Promise<string> {
  const id = uuidv7();
  await app.rows(
    `insert into object_types (organization_id, id, kind, label, plural_label, display_field) values ($1, $2, $3, $3, $3, 'name')`,
    [organizationId, id, kind],
  );
  const all: GivenField[] = [{ name: 'name', type: 'text', isSearchable: true }, ...fields];
  for (const [position, field] of all.entries())
    await app.rows(
      `insert into object_fields (organization_id, id, type_id, name, label, type, is_required, is_unique, is_indexed, is_searchable, default_value,
              minimum, maximum, max_length, options, position, index_state)
       values ($1, $2, $3, $4, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
      [
        organizationId,
        uuidv7(),
        id,
        field.name,
        field.type,
        field.isRequired ?? false,
        field.isUnique ?? false,
        field.isIndexed ?? false,
        field.isSearchable ?? false,
        field.defaultValue === undefined ? null : JSON.stringify(field.defaultValue),
        field.min ?? null,
        field.max ?? null,
        field.maxLength ?? null,
        JSON.stringify(field.options ?? []),
        position,
        field.isIndexed || field.isUnique || field.type === 'email' || field.type === 'phone' ? 'ready' : null,
      ],
    );
  for (const one of relations)
    await app.rows(
      `insert into object_relations (organization_id, id, type_id, name, inverse_name, to_kind, to_type_id, cardinality, on_delete)
       values ($1, uuidv7(), $2, $3, $4, $5, (select id from object_types where organization_id = $1 and kind = $5 and deleted_at is null), $6, $7)`,
      [organizationId, id, one.name, one.inverse, one.to, one.cardinality ?? 'many_to_many', one.onDelete ?? 'unlink'],
    );
  return id;
}

export const options = (...values: string[]) => values.map((value) => ({ value, label: value }));
