import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError, invalidField, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { CrmRecord } from '../record.entity.ts';
import type { Field, ObjectType } from './definition.ts';
import { storeField } from './field-rows.ts';
import { assertRules, displayTypes, faultsOfField, faultsOfFields, maxTypes } from './field-rules.ts';
import { type GivenField, givenField } from './given-field.ts';
import { deleteTypeJob, typeLane, typesLock } from './jobs.ts';
import { isBuiltIn } from './names.ts';
import { loadType, typeForChange } from './object-type.ts';
import { ObjectType as ObjectTypeEntity } from './type.entity.ts';

export type TypeBody = {
  kind: string;
  label: string;
  plural_label?: string;
  description?: string;
  display_field?: string;
  fields?: (GivenField & { name: string })[];
};
export type TypeChange = Partial<Pick<TypeBody, 'label' | 'plural_label' | 'description' | 'display_field'>>;

const usualField = {
  name: 'name',
  label: 'Name',
  type: 'text',
  required: true,
  indexed: true,
  searchable: true,
  max_length: 200,
} as const;

/** Throws 409 for a kind that there is, 422 for rules that are not kept. */
export async function createType(tx: OwnTx, body: TypeBody): Promise<ObjectType> {
  tx.assertLocked(typesLock(tx.organizationId));
  if (await loadType(tx, body.kind)) throw kindTaken(body.kind);
  const given = body.fields?.length ? body.fields : [usualField];
  const fields = given.map((one, position) => ({ ...givenField(one, undefined), name: one.name, position }));
  for (const [index, field] of fields.entries()) assertRules(faultsOfField(field), `fields[${index}].`);
  const names = fields.map(({ name }) => name);
  if (new Set(names).size < names.length) throw invalidField('fields', 'fields must have each name once', 'array.unique');
  assertRules(faultsOfFields(fields));
  const id = uuidv7();
  const displayField = displayFieldOf(fields, body.display_field ?? names[0]!);
  // SQL: the limit and the row in one statement; the organization's lock is held.
  const made = await tx.sql(
    `insert into object_types (organization_id, id, kind, label, plural_label, description, display_field)
     select $1, $2, $3, $4, $5, $6, $7
      where (select count(*) from object_types where organization_id = $1 and deleted_at is null and not is_standard) < $8
     on conflict do nothing
     returning id`,
    [id, body.kind, body.label, body.plural_label ?? body.label, body.description ?? '', displayField, maxTypes],
  );
  if (made.length === 0) throw new AppError('limit_reached', `An organization has at most ${maxTypes} kinds of its own`);
  for (const field of fields) await storeField(tx, id, { ...field, indexState: field.isIndexed ? 'ready' : null });
  return (await loadType(tx, body.kind))!;
}

const kindTaken = (kind: string) => new AppError('conflict', `The kind ${kind} exists already`);

function displayFieldOf(fields: Field[], name: string): string {
  const field = fields.find((one) => one.name === name);
  if (!field || !displayTypes.includes(field.type))
    throw invalidField('display_field', `display_field must be a field of ${displayTypes.join(', ')}`, 'any.only');
  return name;
}

const anyRecord = statement((select, { typeId }: { typeId: string }) =>
  select(CrmRecord).select('id').where('type_id', '=', typeId).limit(1),
);
export const hasRecords = async (own: Own, typeId: string) => (await anyRecord(own, { typeId })).length > 0;

/** For a change by path. Throws 404, and 409 for a built-in kind. */
export async function mustChange(tx: OwnTx, kind: string): Promise<ObjectType> {
  if (isBuiltIn(kind)) throw new AppError('conflict', `The kind ${kind} is built in and cannot be changed`);
  tx.assertLocked(typeLane(tx.organizationId, kind));
  const type = await typeForChange(tx, kind);
  if (!type) throw notFound('Object type');
  return type;
}

/** Each change of the type, its fields or relations ends with it. */
export async function changedType(
  tx: OwnTx,
  { id, version, kind }: ObjectType,
  change: Record<string, unknown> = {},
): Promise<ObjectType> {
  await tx.update(ObjectTypeEntity, { id }, { ...change, version: version + 1, updated_at: new Date().toISOString() });
  return (await loadType(tx, kind))!;
}

export async function patchType(tx: OwnTx, kind: string, change: TypeChange): Promise<ObjectType> {
  const type = await mustChange(tx, kind);
  const { display_field: display } = change;
  if (display !== undefined && display !== type.displayField) {
    displayFieldOf(type.fields, display);
    if (await hasRecords(tx, type.id))
      throw new AppError('conflict', `${type.label} has records, whose names are those of ${type.displayField}`);
  }
  return changedType(tx, type, change);
}

/** Its kind is free at once; its records go by an operation. Throws 409 for `company`. */
export async function deleteType(tx: OwnTx, kind: string): Promise<string> {
  const type = await mustChange(tx, kind);
  if (type.isStandard) throw new AppError('conflict', `The kind ${kind} is standard and cannot be deleted`);
  await changedType(tx, type, {});
  // SQL: by the database's clock.
  await tx.sql(
    `update object_types
        set deleted_at = clock_timestamp()
      where organization_id = $1 and id = $2`,
    [type.id],
  );
  return tx.enqueue(deleteTypeJob, { type_id: type.id }, { lane: typeLane(tx.organizationId, kind) });
}
