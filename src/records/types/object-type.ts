import type { Own, OwnRecords } from '../../platform/database/own.ts';
import { AppError } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { companyKind, companyOf, writeCompany } from './company.ts';
import type { Field, ObjectType, Relation } from './definition.ts';

type Loaded = { type: ObjectType; seen_version: number };

/** SQL: of a type `t`, those it defines and those of others to it. */
export const relationsOfType = `
           coalesce((
             select json_agg(json_build_object(
                      'id', r.id, 'name', case when r.is_inverse then r.inverse_name else r.name end,
                      'inverseName', case when r.is_inverse then r.name else r.inverse_name end,
                      'kind', case when r.is_inverse then o.kind else r.to_kind end, 'isInverse', r.is_inverse,
                      'cardinality', r.cardinality, 'onDelete', r.on_delete,
                      'isSingle', r.cardinality in ('one_to_one', case when r.is_inverse then 'one_to_many' else 'many_to_one' end))
                    order by r.is_inverse, r.created_at, r.id)
               from (select f.*, false as is_inverse
                       from object_relations f
                      where f.organization_id = $1 and f.type_id = t.id
                      union all
                     select i.*, true
                       from object_relations i
                      where i.organization_id = $1 and i.to_type_id = t.id) r
               join object_types o on o.organization_id = $1 and o.id = r.type_id and o.deleted_at is null
               left join object_types z on z.organization_id = $1 and z.id = r.to_type_id
              where z.deleted_at is null), '[]')`;

/**
 * SQL: a definition in one statement, fields and relations gathered per row. A row lock that had to wait gives the row's newest version, but
 * the gathered rows are of the time before: `seen_version` tells.
 */
const definition = (where: string, lock = '') => `
  select json_build_object(
           'id', t.id, 'kind', t.kind, 'label', t.label, 'pluralLabel', t.plural_label, 'description', t.description,
           'displayField', t.display_field, 'isStandard', t.is_standard, 'version', t.version,
           'createdAt', t.created_at, 'updatedAt', t.updated_at,
           'fields', coalesce((
             select json_agg(json_build_object(
                      'id', f.id, 'name', f.name, 'label', f.label, 'type', f.type, 'isRequired', f.is_required,
                      'isUnique', f.is_unique, 'isIndexed', f.is_indexed, 'isSearchable', f.is_searchable,
                      'defaultValue', f.default_value, 'min', f.minimum, 'max', f.maximum, 'maxLength', f.max_length,
                      'options', f.options, 'position', f.position, 'indexState', f.index_state) order by f.position, f.name)
               from object_fields f
              where f.organization_id = $1 and f.type_id = t.id and f.removed_at is null), '[]'),
           'relations', ${relationsOfType}) as type,
         (select v.version from object_types v where v.organization_id = $1 and v.id = t.id) as seen_version
    from object_types t
   where t.organization_id = $1 and t.deleted_at is null${where}
   ${lock}`;

const ofKind = definition(' and t.kind = $2');
const ofKindHeld = definition(' and t.kind = $2', 'for key share of t');
const all = definition('', 'order by t.created_at, t.id');

/** Undefined for a kind that is none of the organization's own, built-in kinds included. `company` is there before it is stored. */
export async function loadType(own: Own, kind: string): Promise<ObjectType | undefined> {
  const [found] = await own.sql<Loaded>(ofKind, [kind]);
  return found?.type ?? (kind === companyKind ? companyOf(own.organizationId) : undefined);
}

/** Its own types, `company` included; few, so that they are read whole. */
export async function loadTypes(own: Own): Promise<ObjectType[]> {
  const types = (await own.sql<Loaded>(all)).map(({ type }) => type);
  return types.some(({ kind }) => kind === companyKind) ? types : [companyOf(own.organizationId), ...types];
}

/**
 * For a write of records. Its row is held `for key share` until the transaction ends: a change of the type takes it `for update` and so waits
 * for those who write by the old definition, and they for it. Writers of records do not wait for each other.
 * Take the record's lock first. Throws 422 for an unknown kind, as the list of records does.
 */
export async function typeForWrite(tx: OwnTx, kind: string): Promise<ObjectType> {
  let [found] = await tx.sql<Loaded>(ofKindHeld, [kind]);
  if (!found && kind === companyKind) {
    await writeCompany(tx);
    [found] = await tx.sql<Loaded>(ofKindHeld, [kind]);
  }
  // It waited for a change, which is committed: read it, the row is held.
  if (found && found.seen_version !== found.type.version) [found] = await tx.sql<Loaded>(ofKindHeld, [kind]);
  if (!found) throw unknownKind();
  return found.type;
}

/** For a change of the type: nobody else writes by it until the transaction ends. Undefined: there is none. */
export async function typeForChange(tx: OwnRecords, kind: string): Promise<ObjectType | undefined> {
  if (kind === companyKind) await writeCompany(tx);
  // SQL: for update; its own statement, so that the next one sees what was waited for.
  const held = await tx.sql(
    `select id from object_types
      where organization_id = $1 and kind = $2 and deleted_at is null
        for update`,
    [kind],
  );
  return held.length === 0 ? undefined : loadType(tx, kind);
}

/** SQL: gathered as above. */
const toBuiltIn = `
  select r.id, r.inverse_name as name, r.name as "inverseName", o.kind, true as "isInverse", r.cardinality,
         r.cardinality in ('one_to_one', 'one_to_many') as "isSingle", r.on_delete as "onDelete"
    from object_relations r
    join object_types o on o.organization_id = r.organization_id and o.id = r.type_id and o.deleted_at is null
   where r.organization_id = $1 and r.to_kind = $2
   order by r.created_at, r.id`;

/** Those of a built-in kind, as its objects see them; of `company` too before it is stored. */
export async function loadRelationsTo(own: Own, kind: string): Promise<Relation[]> {
  const [found, company] = await Promise.all([own.sql<Relation>(toBuiltIn, [kind]), loadType(own, companyKind)]);
  if (company!.createdAt !== null) return found;
  const standard = company!.relations.filter((one) => one.kind === kind);
  return [
    ...standard.map((one) => ({
      ...one,
      name: one.inverseName,
      inverseName: one.name,
      kind: companyKind,
      isInverse: true,
      isSingle: true,
    })),
    ...found,
  ];
}

/** It does not repeat the kind: what a caller of another organization sends may be a name of this one's. */
export function unknownKind(): AppError {
  const message = 'No type of records has this kind';
  return new AppError('invalid_request', message, {
    details: [{ field: 'objectKind', location: 'path', code: 'any.only', message }],
  });
}

export const fieldNamed = (type: ObjectType, name: string): Field | undefined => type.fields.find((field) => field.name === name);
